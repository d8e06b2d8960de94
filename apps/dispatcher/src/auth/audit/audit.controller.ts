import { Controller, Get, HttpStatus, Query, UseGuards } from '@nestjs/common';
import { ApiBearerAuth, ApiDefaultResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AuditList } from '@assay/contracts';
import { Database, listAudit } from '@assay/persistence';
import { createZodDto, ZodResponse } from 'nestjs-zod';
import { z } from 'zod';
import { SchemaGate } from '../../database/schema-gate';
import { ErrorReplyDto } from '../../runs/run-messages';
import { Access } from '../access';
import { Needs } from '../needs';

class AuditListDto extends createZodDto(AuditList) {}
class AuditQueryDto extends createZodDto(
  z.strictObject({
    /** `nextCursor` of the page before. */
    cursor: z
      .string()
      .regex(/^\d{1,18}$/, 'expected a cursor that an earlier page gave')
      .optional(),
    limit: z.coerce.number<string>().int().min(1).max(500).default(100),
  }),
) {}

@ApiTags('audit')
@ApiBearerAuth()
@ApiDefaultResponse({ description: 'What is wrong with the request', type: ErrorReplyDto.Output })
@UseGuards(Access, SchemaGate)
@Controller('v1/audit')
export class AuditController {
  constructor(private readonly database: Database) {}

  @Get()
  @Needs('tokens:admin')
  @ApiOperation({ summary: 'Every call that was accepted or refused, from new to old' })
  @ZodResponse({ status: HttpStatus.OK, type: AuditListDto })
  async list(@Query() { cursor, limit }: AuditQueryDto): Promise<AuditList> {
    const lines = await listAudit(this.database, { limit: limit + 1, before: cursor ?? null });
    const page = lines.slice(0, limit);
    const nextCursor = lines.length > limit ? (page.at(-1)?.id ?? null) : null;
    return { calls: page.map(({ at, ...line }) => ({ ...line, at: at.toISOString() })), nextCursor };
  }
}
