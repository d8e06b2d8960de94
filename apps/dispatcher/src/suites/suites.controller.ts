import { Controller, Get, HttpStatus, Param, UseGuards } from '@nestjs/common';
import { ApiBearerAuth, ApiDefaultResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { SuiteInstances } from '@assay/contracts';
import { TaskError } from '@assay/failures';
import { openSource } from '@assay/suites';
import { Refusal } from '@assay/service-kit';
import { ZodResponse } from 'nestjs-zod';
import { Access } from '../auth/access';
import { Needs } from '../auth/needs';
import { SuiteInstancesDto } from '../predictions/prediction-messages';
import { ErrorReplyDto } from '../runs/run-messages';
import { SuiteLibrary } from './suite-library';

@ApiTags('suites')
@ApiBearerAuth()
@ApiDefaultResponse({ description: 'What is wrong with the request', type: ErrorReplyDto.Output })
@UseGuards(Access)
@Controller('v1/suites')
export class SuitesController {
  constructor(private readonly library: SuiteLibrary) {}

  @Get(':name/instances')
  @Needs('runs:read')
  @ApiOperation({ summary: 'The sorted ids of all instances that a suite has' })
  @ApiParam({ name: 'name', type: String })
  @ZodResponse({ status: HttpStatus.OK, type: SuiteInstancesDto })
  async instances(@Param('name') name: string): Promise<SuiteInstances> {
    try {
      const suite = await this.library.load(name);
      const source = await openSource(suite);
      await source.close();
      return {
        suite: suite.name,
        title: suite.title,
        source: suite.source.kind === 'swebench' ? 'swebench' : 'harbor',
        instances: [...source.ids],
      };
    } catch (error) {
      if (!(error instanceof TaskError)) throw error;
      const status = error.code === 'suite_unknown' ? HttpStatus.NOT_FOUND : HttpStatus.UNPROCESSABLE_ENTITY;
      throw new Refusal(status, error.message);
    }
  }
}
