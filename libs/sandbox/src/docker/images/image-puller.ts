import type Docker from 'dockerode';
import { InfraError } from '@assay/failures';
import { LONGEST_MS, progress } from './progress';
import { mirrored, registryOf } from './reference';
import { authFor, NO_LOGINS, type RegistryLogins } from './registry-logins';
import { RegistryPatience } from './registry-patience';

/** A registry that says "too many" is asked so often in one pull. */
const MOST_TRIES = 4;

const TOO_MANY = /toomanyrequests|too many requests|\b429\b|rate limit/i;

export interface PullerOptions {
  /** Prefix of a mirror of Docker Hub, asked first; null: none. */
  readonly mirror: string | null;
  readonly patience?: RegistryPatience;
  /** Absent: none. */
  readonly logins?: RegistryLogins;
}

/** Pulls images: from the mirror, where it has them, else from where they are. */
export class ImagePuller {
  private readonly patience: RegistryPatience;

  constructor(
    private readonly docker: Docker,
    private readonly options: PullerOptions,
  ) {
    this.patience = options.patience ?? new RegistryPatience();
  }

  /**
   * Resolves with the name under which the engine has it now.
   * @param tries one that nobody waits for asks a registry only once
   * @throws InfraError `image_unavailable`, `disk_full`
   */
  async pull(reference: string, abort: AbortSignal, tries: 'many' | 'one' = 'many'): Promise<string> {
    const there = this.atMirror(reference);
    const most = tries === 'many' ? MOST_TRIES : 1;
    if (there !== null) {
      try {
        return await this.pullFrom(there, abort, most);
      } catch (error) {
        abort.throwIfAborted();
        const { full, tooMany } = reasonOf(error);
        if (full || (tooMany && tries === 'one')) throw unavailable(reference, error);
        // What the mirror does not have, or cannot give now, is asked for where it comes from.
      }
    }
    try {
      return await this.pullFrom(reference, abort, most);
    } catch (error) {
      abort.throwIfAborted();
      throw unavailable(reference, error);
    }
  }

  /** How long the registry that is asked first for an image is left alone still. Milliseconds. */
  pausedMs(reference: string): number {
    return this.patience.left(registryOf(this.atMirror(reference) ?? reference));
  }

  private atMirror(reference: string): string | null {
    const { mirror } = this.options;
    return mirror === null ? null : mirrored(reference, mirror);
  }

  private async pullFrom(reference: string, abort: AbortSignal, most: number): Promise<string> {
    const registry = registryOf(reference);
    const abortSignal = AbortSignal.any([abort, AbortSignal.timeout(LONGEST_MS)]);
    for (let tries = 1; ; tries += 1) {
      await this.patience.wait(registry, abortSignal);
      try {
        const auth = authFor(reference, this.options.logins ?? NO_LOGINS);
        await progress(this.docker, await this.docker.pull(reference, { ...auth, abortSignal }));
        this.patience.answered(registry);
        return reference;
      } catch (error) {
        if (!reasonOf(error).tooMany) throw error;
        this.patience.refused(registry);
        if (tries === most) throw error;
      }
    }
  }
}

function reasonOf(error: unknown): { text: string; full: boolean; tooMany: boolean } {
  const text = error instanceof Error ? error.message : String(error);
  return { text, full: /no space left on device/i.test(text), tooMany: TOO_MANY.test(text) };
}

function unavailable(reference: string, cause: unknown): InfraError {
  const { text, full, tooMany } = reasonOf(cause);
  return new InfraError(`the image ${reference} is not there and cannot be pulled: ${text}`, {
    code: full ? 'disk_full' : 'image_unavailable',
    phase: 'prepare',
    details: { reference, rateLimited: tooMany },
    cause,
  });
}
