import { Body, Controller, Headers, HttpCode, HttpStatus, Post, Res, UseGuards } from '@nestjs/common';
import { ApiBearerAuth, ApiDefaultResponse, ApiHeader, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { type DispatchReply, IdempotencyKey } from '@assay/contracts';
import { JsonBody, validated } from '@assay/service-kit';
import { Access } from '../auth/access';
import { Caller } from '../auth/calls/call-record';
import { Needs } from '../auth/needs';
import type { Principal } from '../auth/principal';
import { SchemaGate } from '../database/schema-gate';
import { ErrorReplyDto } from '../runs/run-messages';
import { DispatchRequestDto, ReceiptDto, SkippedReceiptDto } from './edge-messages';
import { ReleaseIntake } from './release-intake';

interface Answer {
  location(url: string): unknown;
  status(code: number): unknown;
}

@ApiTags('releases')
@ApiBearerAuth()
@ApiDefaultResponse({ description: 'What is wrong with the request', type: ErrorReplyDto.Output })
@UseGuards(Access, JsonBody, SchemaGate)
@Controller('v1/releases')
export class ReleasesController {
  constructor(private readonly intake: ReleaseIntake) {}

  @Post()
  @HttpCode(HttpStatus.ACCEPTED)
  @Needs('releases:write')
  @ApiOperation({
    summary: 'Hand in a release; the policy says what becomes of it. The same key and body again is the same run',
  })
  @ApiHeader({
    name: 'Idempotency-Key',
    required: true,
    description: '1 to 200 printable ASCII characters without spaces; unique within the repository',
  })
  @ApiResponse({ status: HttpStatus.ACCEPTED, description: 'The run that it became', type: ReceiptDto.Output })
  @ApiResponse({ status: HttpStatus.OK, description: 'Nothing is run, and why', type: SkippedReceiptDto.Output })
  @ApiResponse({
    status: HttpStatus.SERVICE_UNAVAILABLE,
    description: 'GitHub cannot be asked now: come again with the same key after the seconds of Retry-After',
    type: ErrorReplyDto.Output,
  })
  async take(
    @Body() request: DispatchRequestDto,
    @Headers('idempotency-key') key: string | undefined,
    @Res({ passthrough: true }) answer: Answer,
    @Caller() caller: Principal,
  ): Promise<DispatchReply> {
    const wrong = `the header Idempotency-Key is ${key === undefined ? 'missing' : 'not valid'}`;
    const idempotencyKey = validated(IdempotencyKey, key, wrong, 'Idempotency-Key');
    const reply = await this.intake.take(request, idempotencyKey, caller);
    if (reply.status === 'SKIPPED') answer.status(HttpStatus.OK);
    else answer.location(reply.runUrl);
    return reply;
  }
}
