import { resolveAgent } from '@assay/agents';
import type { ArtifactStore } from '@assay/artifacts';
import { type BuildDigest, canonicalJson, type InstanceId, type Manifest, names, type RunId } from '@assay/contracts';
import { InfraError, TaskError } from '@assay/failures';
import { type Database, freezeRun, type RunRow } from '@assay/persistence';
import { freezeManifest, manifestDigest, type SandboxName } from '@assay/suites';
import { ATTRIBUTES, inSpan } from '@assay/telemetry';
import { storedPredictions } from '../predictions/stored-predictions';
import type { ReleaseLookup } from '../releases/release-lookup.port';
import type { SuiteLibrary } from '../suites/suite-library';

/** What the freezer works with. */
export interface FreezerParts {
  readonly database: Database;
  readonly library: SuiteLibrary;
  readonly artifacts: ArtifactStore;
  /** Null: releases are not checked. */
  readonly releases: ReleaseLookup | null;
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
  constructor(private readonly parts: FreezerParts) {}

  /**
   * @param signal ends waiting for others early
   * @throws TaskError when the submission can never be measured (suite, task, instance, agent, release of another tag)
   * @throws InfraError `release_not_there`, with `retryAfterSeconds` in its details; and what store or database throw:
   *   another time may do
   */
  async freeze(run: RunRow, signal: AbortSignal): Promise<Frozen> {
    await this.requireRelease(run, signal);
    const warnings: string[] = [];
    const manifest = await this.manifestOf(run, warnings, signal);
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

  private async requireRelease({ request: { release } }: RunRow, signal: AbortSignal): Promise<void> {
    const { releases } = this.parts;
    if (release === undefined || releases === null) return;
    const found = await releases.look(release, signal);
    if (found.answer === 'there') return;
    const { answer, reason } = found;
    if (answer === 'wrong') throw new TaskError(reason, { code: 'release_wrong', phase: 'dispatch' });
    const details = { retryAfterSeconds: found.retryAfterSeconds };
    throw new InfraError(reason, { code: 'release_not_there', phase: 'dispatch', details });
  }

  private async manifestOf({ request }: RunRow, warnings: string[], signal: AbortSignal): Promise<Manifest> {
    const { library, artifacts, buildDigest, sandbox } = this.parts;
    const suite = await library.load(request.suite);
    const { predictions } = request;
    return freezeManifest({
      suite,
      request,
      store: artifacts,
      agents: library.agents,
      integrityOf: async (name, version) => (await resolveAgent(name, version, signal)).integrity,
      sandbox,
      buildDigest,
      predictions: predictions === undefined ? null : await storedPredictions(artifacts, predictions),
      onWarning: (warning) => warnings.push(warning),
    });
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
