import {
  type AgentSpec,
  type ArtifactRef,
  assertNever,
  type BuildDigest,
  canonicalJson,
  type Digest,
  Manifest,
  type ManifestInstance,
  type SubmitRequest,
} from '@assay/contracts';
import { TaskError } from '@assay/failures';
import { createHash } from 'node:crypto';
import type { Suite } from '../suite/load-suite';
import { openSource, type TaskSource } from '../suite/task-source';
import { wordingOf } from '../suite/wording';
import { chooseAgent, type KnownAgent } from './choose-agent';
import { chooseInstances } from './choose-instances';
import { choosePredicted, gradeOnlyAgent, type PredictionSet } from './choose-predicted';
import { chooseSandbox, requireFit, type SandboxName } from './choose-sandbox';

/** Where bundles are kept; the artifact store is one. */
export interface BundleStore {
  put(name: string, mediaType: string, content: Buffer): Promise<ArtifactRef>;
}

/** How verdicts of a source are reached; part of the manifest, raised whenever a verdict could change. */
export const GRADER_VERSIONS = {
  harbor: 'assay-harbor/1',
  swebench: 'assay-swebench-5.0.2/1',
  'terminal-bench': 'assay-harbor/1',
} as const;

/** What is measured. */
export interface Evaluated {
  readonly ref: string;
  /** 40 lower-case hexadecimal digits. */
  readonly commit: string;
  /** Without a leading `v`; null: the ref names none. */
  readonly packageVersion: string | null;
}

export interface FreezeRequest {
  readonly suite: Suite;
  readonly request: SubmitRequest;
  /** What the request's ref was resolved to. */
  readonly evaluated: Evaluated;
  readonly store: BundleStore;
  /** The agents of this build; the manifest records the version of the one that is used. */
  readonly agents: readonly KnownAgent[];
  /** Integrity of an agent's package in a version; null: it is part of this build. Absent: what `agents` says. */
  readonly integrityOf?: (name: string, version: string) => Promise<string | null>;
  /** The deployment's choice, for suites that take any. */
  readonly sandbox: SandboxName;
  /** Null: any build may work on the run. */
  readonly buildDigest: BuildDigest | null;
  /** What is graded in place of trials; null or absent: the agent is run. */
  readonly predictions?: PredictionSet | null;
  /** Called with each sentence about what has no effect in the suite's tasks. */
  readonly onWarning?: (warning: string) => void;
}

/**
 * Stores the bundle of every chosen instance and returns everything that the run will be measured with. Equal inputs
 * give an equal manifest.
 * @throws TaskError where suite, tasks or request do not fit; whatever the store throws
 */
export async function freezeManifest(freeze: FreezeRequest): Promise<Manifest> {
  const { suite, request, evaluated, buildDigest, predictions = null } = freeze;
  const sandbox = chooseSandbox(suite, freeze.sandbox);
  const agent = predictions === null ? await frozenAgent(freeze) : gradeOnlyAgent(predictions);
  const instances = await frozenInstances(freeze, sandbox);

  return Manifest.parse({
    schemaVersion: 'assay.manifest/1',
    suite: {
      name: suite.name,
      digest: suite.digest,
      kind: suite.kind,
      // What was handed in was measured by nobody we know: its counts stay with whoever asked.
      publish: predictions === null ? suite.publish : 'none',
      publishTrajectories: suite.publishTrajectories,
      publishPatches: suite.publishPatches,
      chain: suite.chain,
      abortAfterInfraFailures: suite.abortAfterInfraFailures,
      benchmarkSize: suite.benchmarkSize,
      errorThreshold: suite.errorThreshold,
      onLimit: suite.onLimit,
      forgedMarker: suite.forgedMarker,
      title: suite.title,
    },
    dataset: { name: suite.dataset.name, revision: suite.dataset.revision },
    instances,
    sandbox,
    agent,
    model: { name: request.model },
    history: suite.history,
    limits: suite.limits,
    runLimits: suite.runLimits,
    retry: {
      maxAttempts: request.maxAttempts ?? suite.retry.maxAttempts,
      backoffSeconds: request.backoffSeconds ?? suite.retry.backoffSeconds,
    },
    grader: { version: GRADER_VERSIONS[suite.source.kind], ...suite.grader },
    evaluated: { ...evaluated, packageVersion: evaluated.packageVersion ?? 'none' },
    buildDigest,
  } satisfies Manifest);
}

async function frozenInstances(freeze: FreezeRequest, sandbox: SandboxName): Promise<ManifestInstance[]> {
  const { suite, request, store, predictions = null } = freeze;
  const source = await openSource(suite);
  try {
    for (const warning of source.warnings) freeze.onWarning?.(warning);
    requireWhole(suite, source);
    const ids =
      predictions === null
        ? chooseInstances(source.ids, request, suite)
        : choosePredicted(source.ids, predictions, suite.dataset.title ?? suite.title);
    const instances: ManifestInstance[] = [];
    for (const id of ids) {
      const packed = await source.pack(id);
      requireFit(sandbox, id, packed.image);
      const bundle = await store.put('task_bundle', packed.mediaType, packed.content);
      const prediction = predictions?.of.get(id);
      const handedIn = prediction === undefined ? {} : { prediction };
      instances.push({ id, source: packed.source, bundle, image: packed.image, ...handedIn });
    }
    return instances;
  } finally {
    await source.close();
  }
}

async function frozenAgent({ suite, request, evaluated, agents, integrityOf }: FreezeRequest): Promise<AgentSpec> {
  const agent = chooseAgent(suite, request.agent, agents, evaluated);
  if (agent.integrity !== null || integrityOf === undefined) return agent;
  return { ...agent, integrity: await integrityOf(agent.name, agent.version) };
}

/** The manifest's name: sha256 of its canonical JSON. */
export function manifestDigest(manifest: Manifest): Digest {
  return createHash('sha256').update(canonicalJson(manifest)).digest('hex') as Digest;
}

/** A suite of a benchmark must have all of it at hand, unless it names a part of it and publishes no score. */
function requireWhole(suite: Suite, source: TaskSource): void {
  const { benchmarkSize } = suite;
  if (benchmarkSize === null || benchmarkSize === source.ids.length) return;
  if (suite.publish !== 'score' && namesPart(suite.source) && source.ids.length < benchmarkSize) return;
  throw new TaskError(wordingOf(suite).count(benchmarkSize, source.ids.length), {
    code: 'suite_invalid',
    phase: 'dispatch',
    details: { file: suite.file, expected: benchmarkSize, found: source.ids.length },
  });
}

function namesPart(source: Suite['source']): boolean {
  switch (source.kind) {
    case 'harbor':
      return source.tasks.some((pattern) => pattern !== '*');
    case 'swebench':
      return source.instances !== undefined || source.select !== undefined;
    case 'terminal-bench':
      return false;
    default:
      return assertNever(source);
  }
}
