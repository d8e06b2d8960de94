import type { Readable } from 'node:stream';
import { Controller, Headers, HttpStatus, Post, Req, UseGuards } from '@nestjs/common';
import { ApiBearerAuth, ApiBody, ApiConsumes, ApiDefaultResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { PredictionSetReply } from '@assay/contracts';
import { Refusal } from '@assay/service-kit';
import { ZodResponse } from 'nestjs-zod';
import { Access } from '../auth/access';
import { Needs } from '../auth/needs';
import { ErrorReplyDto } from '../runs/run-messages';
import { PredictionIntake } from './prediction-intake';
import { PredictionSetReplyDto } from './prediction-messages';

/** The media type of JSON lines. */
const LINES = 'application/x-ndjson';

@ApiTags('predictions')
@ApiBearerAuth()
@ApiDefaultResponse({ description: 'What is wrong with the request', type: ErrorReplyDto.Output })
@UseGuards(Access)
@Controller('v1/predictions')
export class PredictionsController {
  constructor(private readonly intake: PredictionIntake) {}

  @Post()
  @Needs('predictions:write')
  @ApiOperation({ summary: 'Hand in a set of predictions, for `predictions` of a submission' })
  @ApiConsumes(LINES)
  @ApiBody({ schema: { type: 'string', description: 'a prediction a line' } })
  @ZodResponse({ status: HttpStatus.CREATED, type: PredictionSetReplyDto })
  async handIn(
    @Req() request: Readable,
    @Headers('content-type') type: string | undefined,
  ): Promise<PredictionSetReply> {
    if (type?.split(';')[0]?.trim().toLowerCase() !== LINES) {
      throw new Refusal(HttpStatus.UNSUPPORTED_MEDIA_TYPE, 'the body is not JSON lines', [
        { field: 'content-type', value: type ?? null, expected: `expected ${LINES}` },
      ]);
    }
    return this.intake.take(request);
  }
}
