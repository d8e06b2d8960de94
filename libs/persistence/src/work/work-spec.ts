import { assertNever, type WorkKey, type WorkSpec } from '@assay/contracts';
import { withinRun } from '@assay/lifecycle';
import type { Sql } from '../database';
import type { FrozenManifests } from './frozen-manifests';
import type { SeenWork } from './look-at-work';
import { publicationSpec } from './publication-spec';

/** What the worker is to do, from the frozen manifest alone (and, for a grade, its trial's patch and image). */
export async function specOf(sql: Sql, key: WorkKey, seen: SeenWork, manifests: FrozenManifests): Promise<WorkSpec> {
  if (key.kind === 'publication') return publicationSpec(sql, key.runId);
  const { manifest, instances } = await manifests.of(sql, key.runId, seen.manifestDigest);
  const instance = instances.get(key.instanceId);
  if (instance === undefined) throw new Error(`instance ${key.instanceId} is not in the manifest of run ${key.runId}`);
  const { sandbox, limits } = manifest;
  switch (key.kind) {
    case 'trial':
      return {
        kind: 'trial',
        instance,
        sandbox,
        agent: manifest.agent,
        model: manifest.model.name,
        limits: withinRun(limits, manifest.runLimits),
        history: manifest.history,
        publishesScore: manifest.suite.publish === 'score',
      };
    case 'grade':
      return {
        kind: 'grade',
        instance,
        sandbox,
        patch: seen.trial?.patch ?? null,
        patchOrigin: instance.prediction === undefined ? 'trial' : 'prediction',
        grader: manifest.grader,
        limits,
        imageId: seen.trial?.imageId ?? null,
      };
    default:
      return assertNever(key.kind);
  }
}
