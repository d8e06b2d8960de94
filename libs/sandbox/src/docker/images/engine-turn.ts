import type Docker from 'dockerode';
import { Readable } from 'node:stream';
import type { Namespace } from '@assay/contracts';
import { NAMESPACE_LABEL, helperLabels } from '../../labels';
import { answered } from '../bounded';
import { statusOf } from '../engine-errors';
import { removeContainer } from '../remove-container';
import { progress } from './progress';

/** Two blocks of zeros end a tar. */
const EMPTY_TAR = Buffer.alloc(1_024);

/**
 * One turn at a time for all workers of a namespace on one engine. They share no folder and no process ids, only the
 * engine: who could give a container its name has the turn. The container never starts; that of a worker that was killed
 * is reaped after its deadline.
 */
export class EngineTurn {
  constructor(
    private readonly docker: Docker,
    private readonly namespace: Namespace,
  ) {}

  /** Resolves with how to end the turn; null: another has it. @param longestMs after this it may be taken away */
  async take(longestMs: number): Promise<(() => Promise<void>) | null> {
    const Image = await this.emptyImage();
    try {
      const container = await answered(
        this.docker.createContainer({
          name: `${this.namespace}-ahead`,
          Image,
          Cmd: ['-'],
          Labels: helperLabels(this.namespace, 'turn', Date.now() + longestMs),
          HostConfig: { NetworkMode: 'none' },
        }),
        'prepare',
      );
      return () => removeContainer(container);
    } catch (error) {
      if (statusOf(error) === 409) return null;
      throw error;
    }
  }

  /** A container needs an image; this one has nothing in it. */
  private async emptyImage(): Promise<string> {
    const [repo, tag] = [`${this.namespace}/turn`, '1'];
    try {
      await answered(this.docker.getImage(`${repo}:${tag}`).inspect(), 'prepare');
    } catch (error) {
      if (statusOf(error) !== 404) throw error;
      const changes = `LABEL ${NAMESPACE_LABEL}=${this.namespace}`;
      await progress(this.docker, await this.docker.importImage(Readable.from([EMPTY_TAR]), { repo, tag, changes }));
    }
    return `${repo}:${tag}`;
  }
}
