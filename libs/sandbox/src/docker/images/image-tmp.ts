import { Readable } from 'node:stream';
import type Docker from 'dockerode';
import type { Namespace } from '@assay/contracts';
import { helperLabels } from '../../labels';
import { namesIn } from '../archive-out';
import { statusOf } from '../engine-errors';
import { removeContainer } from '../remove-container';

/** What is left of a look is reaped after this. Milliseconds. */
const LOOK_MS = 600_000;

/** More than this in a folder is certainly something. */
const BOUNDS = { maxBytes: 1_048_576, maxEntries: 1_000 };

/** Tells whether images have something in their `/tmp`, which a mount would hide. Each image is looked at once. */
export class ImageTmp {
  private readonly known = new Map<string, Promise<boolean>>();

  constructor(
    private readonly docker: Docker,
    private readonly namespace: Namespace,
  ) {}

  async hasContent(imageId: string): Promise<boolean> {
    const looking = this.known.get(imageId) ?? this.look(imageId);
    this.known.set(imageId, looking);
    try {
      return await looking;
    } catch (error) {
      this.known.delete(imageId);
      throw error;
    }
  }

  private async look(imageId: string): Promise<boolean> {
    const container = await this.docker.createContainer({
      Image: imageId,
      Entrypoint: ['true'],
      Labels: helperLabels(this.namespace, 'look', Date.now() + LOOK_MS),
      HostConfig: { NetworkMode: 'none' },
    });
    try {
      const archive = Readable.from(await container.getArchive({ path: '/tmp' }));
      return await namesIn(archive, BOUNDS).then(
        (names) => names.length > 0,
        () => true,
      );
    } catch (error) {
      if (statusOf(error) === 404) return false;
      throw error;
    } finally {
      await removeContainer(container);
    }
  }
}
