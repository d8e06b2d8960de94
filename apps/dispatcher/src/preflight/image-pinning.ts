import type { ImageSource, InstanceId, ManifestInstance } from '@assay/contracts';
import { InfraError, TaskError } from '@assay/failures';
import type { ImageRegistry, RegistryAnswer } from './image-registry.port';
import { eachBounded } from './each-bounded';

/** Images that are asked for at the same time. */
const CONCURRENCY = 16;
/** How long one look may ask; the next one goes on where it ended. */
const LOOK_MS = 45_000;
/** How long an answer is good for the next look at the same run. */
const KEPT_MS = 900_000;
/** How many ids a refusal names; all of them are counted. */
const NAMED = 20;

export interface PinningOptions {
  readonly lookMs?: number;
  readonly now?: () => number;
}

type Unpinned = ManifestInstance & { readonly image: Extract<ImageSource, { kind: 'reference' }> };

/** Finds the digests of images that are named without one. */
export class ImagePinning {
  private readonly known = new Map<string, { readonly digest: string; readonly until: number }>();

  /** @param registry null: this deployment asks none */
  constructor(
    private readonly registry: ImageRegistry | null,
    private readonly options: PinningOptions = {},
  ) {}

  /**
   * The instances, each image with a digest or built from a frozen context.
   * @throws TaskError `images_unpinned` naming the instances whose images have none; InfraError `registry_unreachable` where a
   * registry cannot say now, with `retryAfterSeconds` in its details
   */
  async pinned(instances: readonly ManifestInstance[], signal: AbortSignal): Promise<ManifestInstance[]> {
    const unpinned = instances.filter(isUnpinned);
    if (unpinned.length === 0) return [...instances];
    if (this.registry === null) {
      throw refused(
        unpinned.map(({ id, image }) => ({ id, reason: image.reference })),
        instances.length,
        'name images without a digest, and this deployment asks no registry (ASSAY_REGISTRY_ACCESS)',
      );
    }
    const answers = await this.ask(this.registry, [...new Set(unpinned.map(({ image }) => image.reference))], signal);
    const absent = unpinned.flatMap(({ id, image }) => {
      const answer = answers.get(image.reference);
      return answer?.answer === 'absent' ? [{ id, reason: answer.reason }] : [];
    });
    if (absent.length > 0) throw refused(absent, instances.length, 'have no image');
    return instances.map((instance) => {
      const answer = isUnpinned(instance) ? answers.get(instance.image.reference) : undefined;
      if (!isUnpinned(instance) || answer?.answer !== 'digest') return instance;
      return { ...instance, image: { ...instance.image, digest: answer.digest } };
    });
  }

  /** Every reference's answer, none of them `unavailable`. */
  private async ask(
    registry: ImageRegistry,
    references: readonly string[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, RegistryAnswer>> {
    const answers = new Map<string, RegistryAnswer>();
    const late = AbortSignal.timeout(this.options.lookMs ?? LOOK_MS);
    const failing = new AbortController();
    const stop = AbortSignal.any([signal, late, failing.signal]);
    let failure: Extract<RegistryAnswer, { answer: 'unavailable' }> | null = null;
    await eachBounded(references, CONCURRENCY, async (reference) => {
      if (stop.aborted) return;
      const answer = this.kept(reference) ?? (await registry.digestOf(reference, stop).catch(() => null));
      if (answer === null) return;
      if (answer.answer === 'unavailable') {
        failure ??= answer;
        failing.abort();
        return;
      }
      answers.set(reference, answer);
      if (answer.answer === 'digest') this.keep(reference, answer.digest);
    });
    signal.throwIfAborted();
    if (answers.size === references.length) return answers;
    throw unreachable(failure, answers.size, references.length);
  }

  private kept(reference: string): RegistryAnswer | null {
    const found = this.known.get(reference);
    if (found === undefined || found.until <= this.now()) return null;
    return { answer: 'digest', digest: found.digest };
  }

  private keep(reference: string, digest: string): void {
    const now = this.now();
    for (const [name, { until }] of this.known) if (until <= now) this.known.delete(name);
    if (!this.known.has(reference)) this.known.set(reference, { digest, until: now + KEPT_MS });
  }

  private now(): number {
    return (this.options.now ?? Date.now)();
  }
}

function isUnpinned(instance: ManifestInstance): instance is Unpinned {
  return instance.image.kind === 'reference' && instance.image.digest === undefined;
}

function refused(
  wrong: readonly { readonly id: InstanceId; readonly reason: string }[],
  of: number,
  what: string,
): TaskError {
  const shown = wrong.slice(0, NAMED).map(({ id, reason }) => `${id} (${reason})`);
  const more = wrong.length > NAMED ? ` and ${wrong.length - NAMED} more` : '';
  return new TaskError(`${wrong.length} of ${of} instances ${what}: ${shown.join(', ')}${more}`, {
    code: 'images_unpinned',
    phase: 'dispatch',
    details: { count: wrong.length, instances: wrong.map(({ id }) => id) },
  });
}

function unreachable(
  failure: Extract<RegistryAnswer, { answer: 'unavailable' }> | null,
  answered: number,
  of: number,
): InfraError {
  const reason = failure?.reason ?? 'the time for one look is over';
  return new InfraError(`the images of the run cannot be looked up: ${reason} (${answered} of ${of} are known)`, {
    code: 'registry_unreachable',
    phase: 'dispatch',
    details: { answered, of, retryAfterSeconds: failure?.retryAfterSeconds ?? null },
  });
}
