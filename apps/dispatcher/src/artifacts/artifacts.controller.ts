import { randomUUID } from 'node:crypto';
import { mkdir, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Controller, Get, HttpStatus, Inject, Param, StreamableFile, UseGuards, Header } from '@nestjs/common';
import { ApiBearerAuth, ApiDefaultResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { ArtifactStore } from '@assay/artifacts';
import { Digest } from '@assay/contracts';
import { Refusal, validated } from '@assay/service-kit';
import { BearerToken } from '../auth/bearer-token';
import { ErrorReplyDto } from '../runs/run-messages';
import { ARTIFACTS } from './artifacts-token';

@ApiTags('artifacts')
@ApiBearerAuth()
@ApiDefaultResponse({ description: 'What is wrong with the request', type: ErrorReplyDto.Output })
@UseGuards(BearerToken)
@Controller('v1/artifacts')
export class ArtifactsController {
  constructor(@Inject(ARTIFACTS) private readonly store: ArtifactStore) {}

  @Get(':digest')
  @ApiOperation({ summary: 'The bytes of an artifact, by its sha256' })
  @ApiParam({ name: 'digest', type: String })
  @ApiOkResponse({ content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } } })
  // Nothing that a sandbox wrote may run in a browser that shows it.
  @Header('x-content-type-options', 'nosniff')
  @Header('content-security-policy', "default-src 'none'; sandbox")
  @Header('cache-control', 'private, max-age=31536000, immutable')
  async download(@Param('digest') text: string): Promise<StreamableFile> {
    const digest = validated(Digest, text, 'the digest is not valid', 'digest');
    const size = await this.store.stat(digest);
    if (size === null) throw new Refusal(HttpStatus.NOT_FOUND, `there is no artifact ${digest}`);
    const content = await verifiedCopy(this.store, { digest, size });
    return new StreamableFile(content, {
      type: 'application/octet-stream',
      disposition: `attachment; filename="${digest}"`,
      length: size,
    });
  }
}

/** A copy that was checked whole before its first byte is sent. It has no name, so it is gone when it is closed. */
async function verifiedCopy(store: ArtifactStore, ref: { digest: Digest; size: number }) {
  const dir = join(tmpdir(), `assay-download-${randomUUID()}`);
  await mkdir(dir, { mode: 0o700 });
  try {
    await store.fetchTo(ref, join(dir, 'content'));
    const handle = await open(join(dir, 'content'), 'r');
    return handle.createReadStream();
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}
