import type { Namespace } from '@assay/contracts';
import type { ArtifactPlace } from './artifact-place';
import type { ArtifactStore } from './artifact-store.port';
import { FileArtifactStore } from './file-store';
import { S3ArtifactStore } from './s3/s3-store';

/** The store of a place; nothing is looked at yet (`check` does). The SDK of S3 is loaded only where it is used. */
export async function openArtifactStore(place: ArtifactPlace, namespace: Namespace): Promise<ArtifactStore> {
  switch (place.kind) {
    case 'folder':
      return new FileArtifactStore({ dir: place.dir, namespace });
    case 's3':
      return S3ArtifactStore.open({ location: place.location, access: place.access, namespace });
  }
}
