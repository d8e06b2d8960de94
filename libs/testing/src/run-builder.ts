import { createHash, randomUUID } from 'node:crypto';
import {
  canonicalJson,
  Digest,
  InstanceId,
  Manifest,
  RunId,
  type ReleaseTarget,
  type SubmitRequest,
} from '@assay/contracts';

/** Enough of a database to seed a run: any pool or transaction that takes `$1…` parameters. */
export interface SeedTarget {
  query<Row>(sql: string, parameters?: readonly unknown[]): Promise<Row[]>;
}

/** A sha256 that names `text`: for references to blobs that no test reads. */
export function digestOf(text: string): Digest {
  return Digest.parse(createHash('sha256').update(text).digest('hex'));
}

export interface ManifestSeed {
  readonly instances?: readonly string[];
  readonly suite?: Partial<Manifest['suite']>;
  readonly retry?: Partial<Manifest['retry']>;
  readonly buildDigest?: string | null;
  readonly runLimits?: Partial<Manifest['runLimits']>;
}

/** A valid manifest of instances `i-1`, `i-2`, … or those named; process sandbox, 4 attempts without back-off. */
export function aManifest({
  instances = ['i-1'],
  suite = {},
  retry = {},
  buildDigest = null,
  runLimits = {},
}: ManifestSeed = {}): Manifest {
  return Manifest.parse({
    schemaVersion: 'assay.manifest/1',
    suite: {
      name: 'demo',
      digest: digestOf('suite'),
      publish: 'counts',
      benchmarkSize: null,
      errorThreshold: 4,
      onLimit: 'grade',
      forgedMarker: 'quarantine',
      title: 'Demo',
      ...suite,
    },
    dataset: { name: 'demo-tasks', revision: '1' },
    instances: [...instances].sort().map((id) => ({
      id,
      source: 'harbor',
      bundle: { name: 'task_bundle', digest: digestOf(`bundle ${id}`), size: 1, mediaType: 'application/x-tar' },
      image: { kind: 'build', contextDigest: digestOf(`context ${id}`) },
    })),
    sandbox: 'process',
    agent: { name: 'nop', version: '1.0.0', integrity: null, options: {} },
    model: { name: 'none' },
    limits: {
      wallSeconds: 60,
      turns: null,
      costUsd: null,
      calls: null,
      tokens: null,
      cpus: 1,
      memoryMb: 256,
      diskMb: 256,
      pids: 64,
    },
    runLimits,
    retry: { maxAttempts: 4, backoffSeconds: 0, ...retry },
    grader: { version: 'harbor/1', network: 'none', user: null, timeoutSeconds: 60, cpus: 1, memoryMb: 256 },
    evaluated: { ref: 'v1.0.0', commit: 'a'.repeat(40), packageVersion: '1.0.0' },
    buildDigest,
  });
}

export interface RunSeed {
  readonly runId?: string;
  readonly manifest?: Manifest;
  readonly release?: ReleaseTarget | null;
  /** W3C traceparent of the run and of every instance. */
  readonly traceparent?: string;
}

/** Writes a run, its instances and publication as the dispatcher does, QUEUED and without work; resolves with its id. */
export async function seedRun(sql: SeedTarget, seed: RunSeed = {}): Promise<RunId> {
  const { manifest = aManifest(), release = null, traceparent = null } = seed;
  const runId = RunId.parse(seed.runId ?? `run-${randomUUID().slice(0, 8)}`);
  const request: SubmitRequest = {
    suite: manifest.suite.name,
    evaluated: manifest.evaluated,
    model: manifest.model.name,
    trigger: 'manual',
    ...(release === null ? {} : { release }),
  };
  const text = canonicalJson(manifest);
  await sql.query(
    `insert into runs (id, state, repository, idempotency_key, request, request_digest, suite, manifest,
       manifest_digest, build_digest, traceparent, run_limits, queued_at)
     values ($1, 'QUEUED', '', $1, $2, $3, $4, $5, $6, $8, $7, $9, now())`,
    [
      runId,
      request,
      digestOf(canonicalJson(request)),
      manifest.suite.name,
      text,
      digestOf(text),
      traceparent,
      manifest.buildDigest,
      Object.values(manifest.runLimits).every((limit) => limit === null) ? null : manifest.runLimits,
    ],
  );
  if (release !== null && manifest.suite.publish !== 'none') {
    await sql.query(
      `with p as (
         insert into publications (run_id, repository, release_id, tag, suite, state)
         values ($1, $2, $3, $4, $5, 'PENDING')
       )
       update runs set publication_state = 'PENDING' where id = $1`,
      [runId, release.repository, release.id, release.tag, manifest.suite.name],
    );
  }
  await sql.query(
    `insert into instances (run_id, instance_id, position, state, traceparent)
     select $1, id, position - 1, 'QUEUED', $3
     from jsonb_array_elements_text($2::jsonb) with ordinality as listed (id, position)`,
    [runId, JSON.stringify(manifest.instances.map(({ id }) => InstanceId.parse(id))), traceparent],
  );
  return runId;
}
