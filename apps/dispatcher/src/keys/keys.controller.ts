import { Controller, Get, HttpStatus, Inject } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { PublicKeys } from '@assay/contracts';
import { createZodDto, ZodResponse } from 'nestjs-zod';

class PublicKeysDto extends createZodDto(PublicKeys) {}

/** Injection token of the deployment's PublicKeys. */
export const PUBLIC_KEYS = Symbol('PUBLIC_KEYS');

/** What everybody may read without a token: the keys that results are signed with. */
@ApiTags('keys')
@Controller('v1/keys')
export class KeysController {
  constructor(@Inject(PUBLIC_KEYS) private readonly keys: PublicKeys) {}

  @Get()
  @ApiOperation({ summary: 'The public keys that results are signed with, the newest first; needs no token' })
  @ZodResponse({ status: HttpStatus.OK, type: PublicKeysDto })
  all(): PublicKeys {
    return this.keys;
  }
}
