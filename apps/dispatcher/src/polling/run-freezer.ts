import type { ArtifactStore } from '@assay/artifacts';
import { type BuildDigest, canonicalJson, type InstanceId, type Manifest, names, type RunId } from '@assay/contracts';
import { BlamedError, InfraError, TaskError } from '@assay/failures';
import { type Database, type FailedSuite, freezeRun, type RunRow } from '@assay/persistence';
import { type Evaluated, freezeManifest, manifestDigest, type SandboxName } from '@assay/suites';
import { ATTRIBUTES, inSpan } from '@assay/telemetry';
import type { Preflight } from '../preflight/preflight';
import { storedPredictions } from '../predictions/stored-predictions';
import type { ReleaseLookup } from '../releases/release-lookup.port';
import type { SuiteLibrary } from '../suites/suite-library';
import { EvaluatedResolver } from './evaluated-resolver';
import type { PackageRegistry } from './package-registry';

/** Looks after which a release that GitHub does not have any more will not come back. */
const PATIENT_LOOKS = 3;

/** What the freezer works with. */
export interface FreezerParts {
  readonly database: Database;
  readonly library: SuiteLibrary;
  readonly artifacts: ArtifactStore;
  /** Null: releases are not checked. */
  readonly releases: ReleaseLookup | null;
  readonly packages: PackageRegistry;
  readonly preflight: Preflight;
  readonly buildDigest: BuildDigest;
  readonly sandbox: SandboxName;
}

export interface Frozen {
  /** False: the run was no longer WAITING, so nothing was changed. */
  readonly queued: boolean;
  readonly instances: number;
  /** Sentences about what has no effect in the suite's tasks. */
  readonly warnings: readonly string[];
}

/** Turns a WAITING run into a QUEUED one with everything that it will be measured with. */
export class RunFreezer {
  private readonly resolver: EvaluatedResolver;

  constructor(private readonly parts: FreezerParts) {
    this.resolver = new EvaluatedResolver(parts.database, parts.releases);
  }

  /**
   * @param signal ends waiting for others early
   * @throws TaskError when the submission can never be measured (suite, task, instance, agent, release of another tag)
   * @throws InfraError `release_not_there`, `ref_not_there`, with `retryAfterSeconds` in their details;
   *   `agent_package_missing`, `agent_registry_unavailable`, `registry_unreachable`; and what store or database throw: another time may do
   */
  async freeze(run: RunRow, signal: AbortSignal): Promise<Frozen> {
    await this.requireRelease(run, signal);
    const evaluated = await this.resolver.resolve(run, signal);
    await this.requirePackage(run, evaluated, signal);
    const warnings: string[] = [];
    const manifest = await this.manifestOf(run, { evaluated, warnings, signal });
    await this.resolver.confirm(run, evaluated, signal);
    const { database, artifacts } = this.parts;
    // The manifest itself is an artifact: whoever has a result can fetch what it was measured with.
    await artifacts.put('manifest', 'application/json', Buffer.from(canonicalJson(manifest)));
    const traces = await dispatchTraces(run, manifest);
    const queued = await database.transaction((sql) =>
      freezeRun(sql, {
        runId: run.id,
        manifest,
        manifestDigest: manifestDigest(manifest),
        names: names(database.namespace),
        traceparentOf: (instance) => traces.get(instance) ?? null,
      }),
    );
    return { queued, instances: manifest.instances.length, warnings };
  }

  /** What a result that was never measured says of its suite; null where the suite is unknown or broken. */
  async suiteOf({ request, suite: name }: RunRow): Promise<FailedSuite | null> {
    try {
      const { title, publish } = await this.parts.library.load(name);
      return { title, publishes: publish !== 'none' && request.predictions === undefined };
    } catch (error) {
      if (!(error instanceof BlamedError)) throw error;
      return null;
    }
  }

  private async requireRelease(
    { request: { release }, origin, pollTries }: RunRow,
    signal: AbortSignal,
  ): Promise<void> {
    const { releases } = this.parts;
    if (release === undefined || releases === null) return;
    const found = await releases.look(release, signal);
    if (found.answer === 'there') return;
    const { answer, reason } = found;
    if (answer === 'wrong') throw new TaskError(reason, { code: 'release_wrong', phase: 'dispatch' });
    if (answer === 'missing' && origin !== null && pollTries >= PATIENT_LOOKS) {
      // It was there when it was handed in.
      throw new TaskError(`${reason} any more`, { code: 'release_wrong', phase: 'dispatch' });
    }
    const details = { retryAfterSeconds: answer === 'missing' ? null : found.retryAfterSeconds };
    throw new InfraError(reason, { code: 'release_not_there', phase: 'dispatch', details });
  }

  /** The policy says what must be in a registry; infrastructure alone runs without it. */
  private async requirePackage(run: RunRow, { ref, packageVersion }: Evaluated, signal: AbortSignal): Promise<void> {
    const { library, packages } = this.parts;
    if (run.origin === null || run.origin.package.registry === 'none') return;
    if ((await library.load(run.suite)).kind === 'infrastructure') return;
    const { name } = run.origin.package;
    if (packageVersion === null) {
      const message = `the evaluated ref ${ref} names no version of ${name}: expected a ref such as v1.2.3`;
      throw new TaskError(message, { code: 'ref_wrong', phase: 'dispatch' });
    }
    await packages.require(name, packageVersion, signal);
  }

  private async manifestOf(
    { request }: RunRow,
    {
      evaluated,
      warnings,
      signal,
    }: { readonly evaluated: Evaluated; readonly warnings: string[]; readonly signal: AbortSignal },
  ): Promise<Manifest> {
    const { library, packages, preflight, artifacts, buildDigest, sandbox } = this.parts;
    const suite = await library.load(request.suite);
    const { predictions } = request;
    const manifest = await freezeManifest({
      suite,
      request,
      evaluated,
      store: artifacts,
      agents: library.agents,
      integrityOf: (name, version) => packages.integrityOf(name, version, signal),
      sandbox,
      buildDigest,
      predictions: predictions === undefined ? null : await storedPredictions(artifacts, predictions),
      onWarning: (warning) => warnings.push(warning),
    });
    return preflight.passed(manifest, suite, signal);
  }
}

/** Each instance is a trace of its own, whose root is a short span that links to the submission. */
async function dispatchTraces(run: RunRow, manifest: Manifest): Promise<Map<InstanceId, string>> {
  const links = run.traceparent === null ? [] : [run.traceparent];
  const traces = new Map<InstanceId, string>();
  for (const { id } of manifest.instances) {
    const attributes = { [ATTRIBUTES.runId]: run.id satisfies RunId, [ATTRIBUTES.instanceId]: id };
    const traceparent = await inSpan('dispatch', { root: true, links, attributes }, (span) =>
      Promise.resolve(span.traceparent),
    );
    traces.set(id, traceparent);
  }
  return traces;
}
