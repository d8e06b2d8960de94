import { Body, Controller, Delete, Get, Header, HttpStatus, Param, Post, UseGuards } from '@nestjs/common';
import { ApiBearerAuth, ApiDefaultResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { TokenCreated, TokenList, TokenRequest, TokenView } from '@assay/contracts';
import { JsonBody } from '@assay/service-kit';
import { createZodDto, ZodResponse } from 'nestjs-zod';
import { SchemaGate } from '../../database/schema-gate';
import { ErrorReplyDto } from '../../runs/run-messages';
import { Access } from '../access';
import { Caller } from '../calls/call-record';
import { Needs } from '../needs';
import type { Principal } from '../principal';
import { ServiceTokens } from './service-tokens';

class TokenRequestDto extends createZodDto(TokenRequest) {}
class TokenCreatedDto extends createZodDto(TokenCreated) {}
class TokenViewDto extends createZodDto(TokenView) {}
class TokenListDto extends createZodDto(TokenList) {}

@ApiTags('tokens')
@ApiBearerAuth()
@ApiDefaultResponse({ description: 'What is wrong with the request', type: ErrorReplyDto.Output })
@UseGuards(Access, JsonBody, SchemaGate)
@Controller('v1/tokens')
export class TokensController {
  constructor(private readonly tokens: ServiceTokens) {}

  @Post()
  @Needs('tokens:admin')
  @ApiOperation({ summary: 'Make a service token; this answer alone shows it' })
  @Header('cache-control', 'no-store')
  @ZodResponse({ status: HttpStatus.CREATED, type: TokenCreatedDto })
  create(@Body() request: TokenRequestDto, @Caller() caller: Principal): Promise<TokenCreated> {
    return this.tokens.create(request, caller);
  }

  @Get()
  @Needs('tokens:admin')
  @ApiOperation({ summary: 'Every service token that there was, the newest first' })
  @ZodResponse({ status: HttpStatus.OK, type: TokenListDto })
  list(): Promise<TokenList> {
    return this.tokens.list();
  }

  @Delete(':id')
  @Needs('tokens:admin')
  @ApiOperation({ summary: 'Take a service token back; twice is once' })
  @ApiParam({ name: 'id', type: String })
  @ZodResponse({ status: HttpStatus.OK, type: TokenViewDto })
  revoke(@Param('id') id: string): Promise<TokenView> {
    return this.tokens.revoke(id);
  }
}
