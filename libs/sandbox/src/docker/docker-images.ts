import { createHash } from 'node:crypto';
import type Docker from 'dockerode';
import type { ImageSource, Namespace } from '@assay/contracts';
import { InfraError, TaskError } from '@assay/failures';
import type { PreparedImage } from '../sandbox.port';
import { packFolder } from './archive-in';
import { engine, statusOf } from './engine-errors';

interface BuildEvent {
  readonly error?: string;
  readonly stream?: string;
}

/** What the words of a failed build say of its cause: a base image or a network that is away is ours, the rest the task's. */
const OURS =
  /no space left|pull access denied|manifest unknown|manifest for .* not found|dial tcp|i\/o timeout|TLS handshake|no such host|toomanyrequests|connection refused|failed to solve.*resolve/i;

/** Images of tasks: each is built or pulled once, however many trials ask for it at the same time. */
export class DockerImages {
  private readonly underWay = new Map<string, Promise<PreparedImage>>();

  constructor(
    private readonly docker: Docker,
    private readonly namespace: Namespace,
    private readonly baseImage: string | null,
  ) {}

  prepare(source: ImageSource, contextDir: string | null): Promise<PreparedImage> {
    const name = source.kind === 'build' ? `build ${source.contextDigest}` : `reference ${source.reference}`;
    const known = this.underWay.get(name);
    if (known !== undefined) return known;
    const preparing = (
      source.kind === 'build' ? this.build(source.contextDigest, contextDir) : this.named(source, contextDir)
    ).finally(() => this.underWay.delete(name));
    this.underWay.set(name, preparing);
    return preparing;
  }

  private async build(contextDigest: string, contextDir: string | null): Promise<PreparedImage> {
    if (contextDir === null) {
      throw new TaskError('the task has no build context', { code: 'context_missing', phase: 'prepare' });
    }
    const base = await this.base();
    const mark = createHash('sha256')
      .update(`${contextDigest} ${base?.id ?? ''}`)
      .digest('hex')
      .slice(0, 32);
    const tag = `${this.namespace}/task:${mark}`;
    const found = await this.inspect(tag);
    if (found !== null) return { ...found, contextDir };
    const buildargs = base === null ? {} : { BASE_IMAGE: base.name };
    await engine('an image cannot be built', 'prepare', async () => {
      const stream = await this.docker.buildImage(packFolder(contextDir, '', 'prepare'), {
        t: tag,
        buildargs,
        forcerm: true,
        labels: { 'assay.namespace': this.namespace },
      });
      await this.follow(stream);
    });
    const built = await this.inspect(tag);
    if (built !== null) return { ...built, contextDir };
    throw new InfraError(`the image ${tag} is not there after its build`, { code: 'image_lost', phase: 'prepare' });
  }

  /** Null when the Dockerfile's own base is used. */
  private async base(): Promise<{ name: string; id: string } | null> {
    if (this.baseImage === null) return null;
    const found = await this.inspect(this.baseImage);
    if (found !== null) return { name: this.baseImage, id: found.imageId };
    await this.pull(this.baseImage);
    const pulled = await this.inspect(this.baseImage);
    return { name: this.baseImage, id: pulled?.imageId ?? '' };
  }

  private async named(
    { reference, digest }: Extract<ImageSource, { kind: 'reference' }>,
    contextDir: string | null,
  ): Promise<PreparedImage> {
    const wanted = digest === undefined ? reference : `${reference.replace(/:[^/:]*$/, '')}@${digest}`;
    const found = await this.inspect(wanted);
    if (found !== null) return { ...found, contextDir };
    await this.pull(wanted);
    const pulled = await this.inspect(wanted);
    if (pulled !== null) return { ...pulled, contextDir };
    throw new InfraError(`the image ${wanted} is not there after its pull`, { code: 'image_lost', phase: 'prepare' });
  }

  private async pull(reference: string): Promise<void> {
    try {
      await this.follow(await this.docker.pull(reference));
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new InfraError(`the image ${reference} is not there and cannot be pulled: ${reason}`, {
        code: 'image_unavailable',
        phase: 'prepare',
        details: { reference },
        cause,
      });
    }
  }

  private async inspect(reference: string): Promise<Omit<PreparedImage, 'contextDir'> | null> {
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

  private follow(stream: NodeJS.ReadableStream): Promise<void> {
    return new Promise((resolve, reject) => {
      this.docker.modem.followProgress(stream, (error, events: BuildEvent[] | null) => {
        const told = error?.message ?? events?.find((event) => event.error !== undefined)?.error;
        if (told === undefined) {
          resolve();
          return;
        }
        const tail = (events ?? [])
          .map((event) => event.stream ?? '')
          .join('')
          .slice(-2_000);
        const options = { code: 'image_build_failed', phase: 'prepare', details: { tail } } as const;
        reject(OURS.test(told) ? new InfraError(told, options) : new TaskError(told, options));
      });
    });
  }
}
