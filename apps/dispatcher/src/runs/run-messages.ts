import {
  CancelReply,
  ErrorReply,
  InstanceList,
  RunList,
  RunRecord,
  RunState,
  RunView,
  SubmitReply,
  SubmitRequest,
} from '@assay/contracts';
import { createZodDto } from 'nestjs-zod';
import { z } from 'zod';

/** Query of `GET /v1/runs`. */
export const RunListQuery = z.strictObject({
  /** `nextCursor` of the page before. */
  cursor: z.string().min(1).max(400).optional(),
  limit: z.coerce.number<string>().int().min(1).max(200).default(50),
  state: RunState.optional(),
  suite: z.string().min(1).max(100).optional(),
});

export class SubmitRequestDto extends createZodDto(SubmitRequest) {}
export class SubmitReplyDto extends createZodDto(SubmitReply) {}
export class RunListQueryDto extends createZodDto(RunListQuery) {}
export class RunListDto extends createZodDto(RunList) {}
export class RunRecordDto extends createZodDto(RunRecord) {}
export class RunViewDto extends createZodDto(RunView) {}
export class InstanceListDto extends createZodDto(InstanceList) {}
export class CancelReplyDto extends createZodDto(CancelReply) {}
export class ErrorReplyDto extends createZodDto(ErrorReply) {}
