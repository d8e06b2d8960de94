import { PredictionSetReply, SuiteInstances } from '@assay/contracts';
import { createZodDto } from 'nestjs-zod';

export class PredictionSetReplyDto extends createZodDto(PredictionSetReply) {}
export class SuiteInstancesDto extends createZodDto(SuiteInstances) {}
