import { Body, Controller, Get, Headers, HttpStatus, Param, Post, Query, Res, UseGuards } from '@nestjs/common';
import { ApiBearerAuth, ApiDefaultResponse, ApiHeader, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import {
  IdempotencyKey,
  RunId,
  type CancelReply,
  type InstanceList,
  type RunList,
  type RunRecord,
  type RunView,
  type SubmitReply,
} from '@assay/contracts';
import { JsonBody, validated } from '@assay/service-kit';
import { ZodResponse } from 'nestjs-zod';
import { Access } from '../auth/access';
import { Caller } from '../auth/calls/call-record';
import { Needs } from '../auth/needs';
import { type Principal, repositoryOf } from '../auth/principal';
import { SchemaGate } from '../database/schema-gate';
import { Cancellations } from './cancellations';
import * as messages from './run-messages';
import { RunReader } from './run-reader';
import { Submissions } from './submissions';

interface Answer {
  location(url: string): unknown;
}

@ApiTags('runs')
@ApiBearerAuth()
@ApiDefaultResponse({ description: 'What is wrong with the request', type: messages.ErrorReplyDto.Output })
@UseGuards(Access, JsonBody, SchemaGate)
@Controller('v1/runs')
export class RunsController {
  constructor(
    private readonly submissions: Submissions,
    private readonly reader: RunReader,
    private readonly cancellations: Cancellations,
  ) {}

  @Post()
  @Needs('runs:write')
  @ApiOperation({ summary: 'Hand in a run; the same key and body again is the same run' })
  @ApiHeader({
    name: 'Idempotency-Key',
    required: true,
    description: '1 to 200 printable ASCII characters without spaces',
  })
  @ZodResponse({ status: HttpStatus.ACCEPTED, type: messages.SubmitReplyDto })
  async submit(
    @Body() request: messages.SubmitRequestDto,
    @Headers('idempotency-key') key: string | undefined,
    @Res({ passthrough: true }) answer: Answer,
    @Caller() caller: Principal,
  ): Promise<SubmitReply> {
    const wrong = `the header Idempotency-Key is ${key === undefined ? 'missing' : 'not valid'}`;
    const idempotencyKey = validated(IdempotencyKey, key, wrong, 'Idempotency-Key');
    const reply = await this.submissions.submit(request, idempotencyKey, caller);
    answer.location(reply.statusUrl);
    return reply;
  }

  @Get()
  @Needs('runs:read', { workflows: true })
  @ApiOperation({ summary: 'Runs from new to old, a page at a time' })
  @ZodResponse({ status: HttpStatus.OK, type: messages.RunListDto })
  list(
    @Query() { cursor, limit, state, suite }: messages.RunListQueryDto,
    @Caller() caller: Principal,
  ): Promise<RunList> {
    const filters = { ...(state === undefined ? {} : { state }), ...(suite === undefined ? {} : { suite }) };
    return this.reader.list({ cursor: cursor ?? null, limit, repository: repositoryOf(caller), ...filters });
  }

  @Get(':id')
  @Needs('runs:read', { workflows: true })
  @ApiOperation({ summary: 'One run: state, counts, and the result once there is one' })
  @ApiParam({ name: 'id', type: String })
  @ZodResponse({ status: HttpStatus.OK, type: messages.RunViewDto })
  one(@Param('id') id: string, @Caller() caller: Principal): Promise<RunView> {
    return this.reader.one(runIdOf(id), repositoryOf(caller));
  }

  @Get(':id/instances')
  @Needs('runs:read', { workflows: true })
  @ApiOperation({ summary: 'Every instance of a run with its tries and their artifacts' })
  @ApiParam({ name: 'id', type: String })
  @ZodResponse({ status: HttpStatus.OK, type: messages.InstanceListDto })
  instances(@Param('id') id: string, @Caller() caller: Principal): Promise<InstanceList> {
    return this.reader.instances(runIdOf(id), repositoryOf(caller));
  }

  @Get(':id/record')
  @Needs('runs:read', { workflows: true })
  @ApiOperation({ summary: 'What a run was asked for, its publication, and every event, oldest first' })
  @ApiParam({ name: 'id', type: String })
  @ZodResponse({ status: HttpStatus.OK, type: messages.RunRecordDto })
  record(@Param('id') id: string, @Caller() caller: Principal): Promise<RunRecord> {
    return this.reader.record(runIdOf(id), repositoryOf(caller));
  }

  @Post(':id/cancel')
  @Needs('runs:write', { workflows: true })
  @ApiOperation({ summary: 'Kill what runs of it; open instances become CANCELLED' })
  @ApiParam({ name: 'id', type: String })
  @ZodResponse({ status: HttpStatus.OK, type: messages.CancelReplyDto })
  async cancel(@Param('id') id: string, @Caller() caller: Principal): Promise<CancelReply> {
    const runId = runIdOf(id);
    await this.reader.requireVisible(runId, repositoryOf(caller));
    return this.cancellations.cancel(runId);
  }
}

function runIdOf(id: string): RunId {
  return validated(RunId, id, 'the run id is not valid', 'id');
}
