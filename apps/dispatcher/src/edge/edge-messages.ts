import { DispatchRequest, Receipt, SkippedReceipt } from '@assay/contracts';
import { createZodDto } from 'nestjs-zod';

export class DispatchRequestDto extends createZodDto(DispatchRequest) {}
export class ReceiptDto extends createZodDto(Receipt) {}
export class SkippedReceiptDto extends createZodDto(SkippedReceipt) {}
