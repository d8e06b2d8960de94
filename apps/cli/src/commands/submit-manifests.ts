import type { ApiClient } from '../api.client';
import { refuseUnless, type WantedManifest } from './submit-environment';

/**
 * Holds what is asked for against the instances that the server has, before anything is handed in.
 * @throws ExitError 2, with the text of the script that writes the manifests; ApiError
 */
export async function requireManifests(
  client: Pick<ApiClient, 'suiteInstances'>,
  manifests: readonly WantedManifest[],
): Promise<void> {
  for (const { suite, size, limit, instanceId, wrongSize, unknown } of manifests) {
    const { instances } = await client.suiteInstances(suite);
    refuseUnless(instances.length === size, wrongSize(instances.length));
    if (instanceId === null) {
      refuseUnless(limit <= instances.length, `Requested ${limit} instances, found ${instances.length}`);
    } else {
      refuseUnless(
        instances.some((id) => id === instanceId),
        unknown(instanceId),
      );
    }
  }
}
