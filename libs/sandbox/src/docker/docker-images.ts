import { createHash } from 'node:crypto';
import type Docker from 'dockerode';
import type { ImageSource, Namespace } from '@assay/contracts';
import { BlamedError, InfraError, TaskError } from '@assay/failures';
import { NAMESPACE_LABEL } from '../labels';
import type { PreparedImage } from '../sandbox.port';
import { packFolder } from './archive-in';
import { buildFailure } from './build-verdict';
import { engine, statusOf } from './engine-errors';
import { SharedWork } from './shared-work';

interface ProgressEvent {
  readonly error?: string;
  readonly stream?: string;
}

/** A build or a pull that takes longer than this is hung. Milliseconds. */
const LONGEST_MS = 1_800_000;

/** Images of tasks: each is built or pulled once, however many trials ask for it at the same time. */
export class DockerImages {
  private readonly shared = new SharedWork<string>();

  constructor(
    private readonly docker: Docker,
    private readonly namespace: Namespace,
    private readonly baseImage: string | null,
  ) {}

  /**
   * @throws TaskError `image_build_failed` for a Dockerfile that cannot be built, InfraError for whatever is ours:
   * `image_unavailable`, `image_build_failed`, `disk_full`, `engine_failed`
   */
  async prepare(source: ImageSource, contextDir: string | null, signal: AbortSignal): Promise<PreparedImage> {
    const image =
      source.kind === 'build'
        ? await this.built(source.contextDigest, contextDir, signal)
        : await this.named(source, signal);
    return { ...image, contextDir };
  }

  private async built(contextDigest: string, contextDir: string | null, signal: AbortSignal): Promise<Image> {
    if (contextDir === null) {
      throw new TaskError('the task has no build context', { code: 'context_missing', phase: 'prepare' });
    }
    const base = await this.base(signal);
    const mark = createHash('sha256')
      .update(`${contextDigest} ${base?.id ?? ''}`)
      .digest('hex');
    const tag = `${this.namespace}/task:${mark.slice(0, 32)}`;
    const found = await this.inspect(tag);
    if (found !== null) return found;
    await this.shared.ask(tag, signal, async (abort) => {
      await this.build(tag, contextDir, base === null ? {} : { BASE_IMAGE: base.name }, abort);
      return tag;
    });
    return this.mustHave(tag);
  }

  private async build(
    tag: string,
    contextDir: string,
    buildargs: Record<string, string>,
    abort: AbortSignal,
  ): Promise<void> {
    const printed: string[] = [];
    try {
      const stream = await this.docker.buildImage(packFolder(contextDir, '', 'prepare'), {
        t: tag,
        buildargs,
        forcerm: true,
        labels: { [NAMESPACE_LABEL]: this.namespace },
        abortSignal: AbortSignal.any([abort, AbortSignal.timeout(LONGEST_MS)]),
      });
      await this.follow(stream, printed);
    } catch (error) {
      abort.throwIfAborted();
      if (error instanceof BlamedError) throw error;
      throw buildFailure(error, printed.join(''));
    }
  }

  /** Null when the Dockerfile's own base is used. */
  private async base(signal: AbortSignal): Promise<{ name: string; id: string } | null> {
    if (this.baseImage === null) return null;
    const { imageId } = await this.localOrPulled(this.baseImage, signal);
    return { name: this.baseImage, id: imageId };
  }

  private async named(
    { reference, digest }: Extract<ImageSource, { kind: 'reference' }>,
    signal: AbortSignal,
  ): Promise<Image> {
    if (digest === undefined) return this.localOrPulled(reference, signal);
    // An image that was built here has no registry digest: its id is what it is frozen by.
    const local = await this.inspect(reference);
    if (local?.imageId === digest) return local;
    return this.localOrPulled(`${reference.replace(/:[^/:]*$/, '')}@${digest}`, signal);
  }

  private async localOrPulled(reference: string, signal: AbortSignal): Promise<Image> {
    const found = await this.inspect(reference);
    if (found !== null) return found;
    await this.shared.ask(reference, signal, async (abort) => {
      await this.pull(reference, abort);
      return reference;
    });
    return this.mustHave(reference);
  }

  private async pull(reference: string, abort: AbortSignal): Promise<void> {
    try {
      const abortSignal = AbortSignal.any([abort, AbortSignal.timeout(LONGEST_MS)]);
      await this.follow(await this.docker.pull(reference, { abortSignal }), []);
    } catch (cause) {
      abort.throwIfAborted();
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new InfraError(`the image ${reference} is not there and cannot be pulled: ${reason}`, {
        code: /no space left on device/i.test(reason) ? 'disk_full' : 'image_unavailable',
        phase: 'prepare',
        details: { reference },
        cause,
      });
    }
  }

  private async mustHave(reference: string): Promise<Image> {
    const found = await this.inspect(reference);
    if (found !== null) return found;
    throw new InfraError(`the image ${reference} is not there after it was made`, {
      code: 'image_lost',
      phase: 'prepare',
      details: { reference },
    });
  }

  private async inspect(reference: string): Promise<Image | null> {
    return engine('an image cannot be inspected', 'prepare', async () => {
      try {
        const { Id, Config } = await this.docker.getImage(reference).inspect();
        return { imageId: Id, workdir: Config.WorkingDir === '' ? '/' : Config.WorkingDir };
      } catch (error) {
        if (statusOf(error) === 404) return null;
        throw error;
      }
    });
  }

  /** Resolves at the end of a build or pull; rejects with the error that its stream tells of. */
  private follow(stream: NodeJS.ReadableStream, printed: string[]): Promise<void> {
    return new Promise((resolve, reject) => {
      let told: string | null = null;
      this.docker.modem.followProgress(
        stream,
        (error) => {
          if (error === null && told === null) resolve();
          else reject(error ?? new Error(told ?? ''));
        },
        (event: ProgressEvent) => {
          if (event.error !== undefined) told = event.error;
          if (event.stream !== undefined) printed.push(event.stream);
          if (printed.length > 200) printed.splice(0, 100);
        },
      );
    });
  }
}

type Image = Omit<PreparedImage, 'contextDir'>;
