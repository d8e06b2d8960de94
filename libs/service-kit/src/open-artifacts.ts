import { type ArtifactStore, openArtifactStore } from '@assay/artifacts';
import type { Namespace } from '@assay/contracts';
import { artifactPlace, type ArtifactSettings } from './artifact-config';
import type { Readiness } from './readiness';
import { reach } from './start-error';

/**
 * The artifact store that a service's settings name, looked at once (StartError where it cannot be used) and then
 * whenever readiness is asked for, as `artifacts`. The one place where services make a store.
 */
export async function openArtifacts(
  settings: ArtifactSettings & { readonly ASSAY_NAMESPACE: Namespace },
  readiness: Readiness,
): Promise<ArtifactStore> {
  const place = artifactPlace(settings);
  const store = await openArtifactStore(place, settings.ASSAY_NAMESPACE);
  const [variable, where] =
    place.kind === 's3'
      ? ['ASSAY_ARTIFACTS', `s3://${place.location.bucket}`]
      : [settings.ASSAY_ARTIFACTS === undefined ? 'ASSAY_ARTIFACTS_DIR' : 'ASSAY_ARTIFACTS', place.dir];
  await reach('the artifact store', variable, where, () => store.check());
  readiness.add('artifacts', () => store.check());
  return store;
}
