import { createHash } from 'node:crypto';
import type Docker from 'dockerode';
import type { Namespace } from '@assay/contracts';
import { answered } from '../bounded';
import { statusOf } from '../engine-errors';

/** An image is marked as used again after this. Milliseconds. */
const TOUCH_MS = 60_000;

/**
 * Names of ours for images that we built or pulled. To give an image such a name again is to use it: the engine keeps the
 * time, for every executor on it and beyond our end. What was here before us gets a name too, so that it is found, but one
 * that no budget takes away.
 */
export class OwnImages {
  private readonly touched = new Map<string, number>();

  constructor(
    private readonly docker: Docker,
    private readonly namespace: Namespace,
  ) {}

  /** For an image that is built from this context on this base image. */
  builtName(contextDigest: string, baseId: string): string {
    return `${this.namespace}/task:${markOf(`${contextDigest} ${baseId}`)}`;
  }

  /** For an image that was pulled by this reference. */
  pulledName(reference: string): string {
    return `${this.namespace}/pulled:${markOf(reference)}`;
  }

  /** For an image that was asked for by this reference and was here under another name. */
  knownName(reference: string): string {
    return `${this.namespace}/known:${markOf(reference)}`;
  }

  /** Whether a name says that we built or pulled the image. */
  isOurs(name: string): boolean {
    return name.startsWith(`${this.namespace}/task:`) || name.startsWith(`${this.namespace}/pulled:`);
  }

  async give(image: string, ownName: string): Promise<void> {
    const [repo = '', tag = ''] = ownName.split(':');
    await answered(this.docker.getImage(image).tag({ repo, tag }), 'prepare');
    this.touched.set(ownName, Date.now());
  }

  /** Marks an image as used that has the name. */
  async use(image: string, ownName: string): Promise<void> {
    if ((this.touched.get(ownName) ?? 0) + TOUCH_MS > Date.now()) return;
    try {
      await this.give(image, ownName);
    } catch (error) {
      // Gone meanwhile: who wants it hears of that at once.
      if (statusOf(error) !== 404) throw error;
    }
  }
}

function markOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}
