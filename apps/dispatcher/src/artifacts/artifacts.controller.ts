import { randomUUID } from 'node:crypto';
import { mkdir, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Controller, Get, HttpStatus, Inject, Param, StreamableFile, UseGuards, Header } from '@nestjs/common';
import { ApiBearerAuth, ApiDefaultResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { ArtifactStore } from '@assay/artifacts';
import { Digest } from '@assay/contracts';
import { Database, hasArtifact } from '@assay/persistence';
import { Refusal, validated } from '@assay/service-kit';
import { Access } from '../auth/access';
import { Caller } from '../auth/calls/call-record';
import { Needs } from '../auth/needs';
import { type Principal, repositoryOf } from '../auth/principal';
import { SchemaGate } from '../database/schema-gate';
import { ErrorReplyDto } from '../runs/run-messages';
import { ARTIFACTS } from './artifacts-token';

@ApiTags('artifacts')
@ApiBearerAuth()
@ApiDefaultResponse({ description: 'What is wrong with the request', type: ErrorReplyDto.Output })
@UseGuards(Access, SchemaGate)
@Controller('v1/artifacts')
export class ArtifactsController {
  constructor(
    @Inject(ARTIFACTS) private readonly store: ArtifactStore,
    private readonly database: Database,
  ) {}

  @Get(':digest')
  @Needs('runs:read')
  @ApiOperation({ summary: 'The bytes of an artifact, by its sha256' })
  @ApiParam({ name: 'digest', type: String })
  @ApiOkResponse({ content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } } })
  // Nothing that a sandbox wrote may run in a browser that shows it.
  @Header('x-content-type-options', 'nosniff')
  @Header('content-security-policy', "default-src 'none'; sandbox")
  @Header('cache-control', 'private, max-age=31536000, immutable')
  async download(@Param('digest') text: string, @Caller() caller: Principal): Promise<StreamableFile> {
    const digest = validated(Digest, text, 'the digest is not valid', 'digest');
    const size = (await this.mayRead(digest, caller)) ? await this.store.stat(digest) : null;
    if (size === null) throw new Refusal(HttpStatus.NOT_FOUND, `there is no artifact ${digest}`);
    const content = await verifiedCopy(this.store, { digest, size });
    return new StreamableFile(content, {
      type: 'application/octet-stream',
      disposition: `attachment; filename="${digest}"`,
      length: size,
    });
  }

  /** Who may see one repository's runs may see what they left, and nothing else. */
  private async mayRead(digest: Digest, caller: Principal): Promise<boolean> {
    const repository = repositoryOf(caller);
    return repository === null || hasArtifact(this.database, { repository, digest });
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
