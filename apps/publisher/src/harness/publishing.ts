import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { FileArtifactStore } from '@assay/artifacts';
import {
  AttemptId,
  ClaimId,
  InstanceId,
  Namespace,
  type PublicationOutcome,
  type PublicationSpec,
  type PublicResult,
  RunId,
  type RunResult,
} from '@assay/contracts';
import { InfraError } from '@assay/failures';
import {
  blockMarkers,
  DEFAULT_ANCHORS,
  type GithubCredential,
  ReleaseClient,
  tokenCredential,
  WritePace,
} from '@assay/github';
import type { WorkContext } from '@assay/messaging';
import { createLogger } from '@assay/telemetry';
import { aPublicResult } from '@assay/testing';
import {
  type GithubStandin,
  startGithubStandin,
  type StandinApp,
  type StandinRelease,
} from '../../../../tools/github-standin/server.mjs';
import { PublicationHandler, type PublisherSettings } from '../publication/publication.handler';

export const REPOSITORY = 'acme/agent';
export const TOKEN = 'canary-github-token-71e0';
export const NAMESPACE = Namespace.parse('assay');
export const MARKERS = blockMarkers(NAMESPACE, 'demo');

export interface Work {
  readonly signal?: AbortSignal;
  /** Answers whether the lease is fresh; default: always. */
  readonly ensureFresh?: () => Promise<void>;
}

/** A publisher's handler against a stand-in of GitHub over HTTP. What is fake: who grants the work. */
export class Publishing {
  readonly logged: string[] = [];
  /** How often a write asked whether the lease is fresh. */
  asked = 0;

  readonly artifacts: FileArtifactStore;

  private constructor(
    readonly standin: GithubStandin,
    private readonly dir: string,
  ) {
    this.artifacts = new FileArtifactStore({ dir, namespace: NAMESPACE });
  }

  static async start(app?: StandinApp): Promise<Publishing> {
    const options = { token: TOKEN, repositories: [REPOSITORY], check: true };
    const standin = await startGithubStandin(app === undefined ? options : { ...options, app });
    return new Publishing(standin, await mkdtemp(join(tmpdir(), 'assay-publisher-')));
  }

  async stop(): Promise<void> {
    await this.standin.stop();
    await rm(this.dir, { recursive: true });
  }

  /** A new publisher process, as far as a handler goes. */
  handler({
    timeoutMs = 30_000,
    credential = tokenCredential(() => TOKEN),
    ...over
  }: Partial<PublisherSettings> & { timeoutMs?: number; credential?: GithubCredential } = {}): PublicationHandler {
    const pace = new WritePace(0);
    const log = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        this.logged.push(chunk.toString());
        done();
      },
    });
    return new PublicationHandler(
      (signal) => new ReleaseClient({ baseUrl: this.standin.url, credential, pace, signal, timeoutMs }),
      this.artifacts,
      {
        namespace: NAMESPACE,
        freshMs: 30_000,
        firstPauseMs: 1,
        policy: null,
        anchors: DEFAULT_ANCHORS,
        signingKey: null,
        secrets: () => [TOKEN],
        ...over,
      },
      createLogger('publisher', 'trace', log),
    );
  }

  /** Makes a release by the API and resolves with its id. */
  async release(fields: object = {}): Promise<number> {
    const answer = await this.api('POST', `/repos/${REPOSITORY}/releases`, { tag_name: 'v1.2.0', ...fields });
    return (answer as { id: number }).id;
  }

  /** Somebody deletes the release. */
  async remove(id: number): Promise<void> {
    await this.deleted(`/repos/${REPOSITORY}/releases/${id}`);
  }

  async removeAsset(id: number): Promise<void> {
    await this.deleted(`/repos/${REPOSITORY}/releases/assets/${id}`);
  }

  private async deleted(path: string): Promise<void> {
    const headers = { authorization: `Bearer ${TOKEN}` };
    const reply = await fetch(`${this.standin.url}${path}`, { method: 'DELETE', headers });
    if (reply.status !== 204) throw new Error(`DELETE ${path}: ${reply.status}`);
  }

  /** A request of somebody else than the publisher. */
  async api(method: string, path: string, body: object): Promise<unknown> {
    const headers = { authorization: `Bearer ${TOKEN}` };
    const reply = await fetch(`${this.standin.url}${path}`, { method, headers, body: JSON.stringify(body) });
    if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${await reply.text()}`);
    return reply.json();
  }

  found(id: number): StandinRelease {
    const release = this.standin.state().repositories[REPOSITORY]?.releases.find((one) => one.id === id);
    if (release === undefined) throw new Error(`no release ${id}`);
    return release;
  }

  body(id: number): string {
    return this.found(id).body ?? '';
  }

  /** The content of an asset, as anybody downloads it. */
  async download(name: string, tag = 'v1.2.0'): Promise<Buffer> {
    const reply = await fetch(`${this.standin.url}/${REPOSITORY}/releases/download/${tag}/${name}`);
    if (!reply.ok) throw new Error(`no asset ${name}: ${reply.status}`);
    return Buffer.from(await reply.arrayBuffer());
  }

  /** Requests of a method so far; the making of releases does not count. */
  count(method: string): number {
    return this.standin.requests.filter((one) => one.method === method && !/\/releases$/.test(one.path)).length;
  }

  async publish(spec: PublicationSpec, work: Work = {}, handler = this.handler()): Promise<PublicationOutcome> {
    return (await handler.publish(this.work(spec, work))).outcome;
  }

  /** The failure of a publication that must fail. */
  async failure(
    spec: PublicationSpec,
    work: Work = {},
    handler = this.handler(),
  ): Promise<{ code: string; error: Error }> {
    try {
      await handler.publish(this.work(spec, work));
    } catch (error) {
      if (error instanceof Error && 'code' in error) return { code: String(error.code), error };
      throw error;
    }
    throw new Error('published');
  }

  work(
    spec: PublicationSpec,
    { signal = new AbortController().signal, ensureFresh }: Work,
  ): WorkContext<'publication'> {
    return {
      key: { kind: 'publication', runId: spec.result.runId, instanceId: InstanceId.parse('release'), sample: 0 },
      epoch: 1,
      claimId: ClaimId.parse(randomUUID()),
      attempt: 1,
      attemptId: AttemptId.parse(randomUUID()),
      spec,
      deadline: new Date(Date.now() + 60_000),
      signal,
      runBudget: { spent: new AbortController().signal, reached: () => null },
      traceparent: `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`,
      phase: () => undefined,
      spending: () => undefined,
      ensureFresh: async () => {
        this.asked += 1;
        await ensureFresh?.();
      },
    };
  }
}

/** A publication of the demo result. */
export function aSpec(releaseId: number, over: Partial<PublicationSpec> = {}): PublicationSpec {
  const result: RunResult = over.result ?? aPublicResult();
  return {
    kind: 'publication',
    phase: 'write',
    repository: REPOSITORY,
    releaseId,
    tag: 'v1.2.0',
    cases: [],
    blockDigest: null,
    assetNames: [],
    ...over,
    result,
  };
}

export function aRun(runId: string, over: Partial<PublicResult> = {}): PublicResult {
  return aPublicResult({ runId: RunId.parse(runId), ...over });
}

export function leaseLost(): InfraError {
  return new InfraError('the lease is lost', { code: 'lease_lost', phase: 'lease' });
}
