import type Docker from 'dockerode';
import type { ImageSource, Namespace } from '@assay/contracts';
import { BlamedError, InfraError, TaskError } from '@assay/failures';
import { NAMESPACE_LABEL } from '../../labels';
import { SILENT, type SandboxLog } from '../../sandbox-log';
import type { AheadContext, AheadOutcome, PreparedImage } from '../../sandbox.port';
import { packFolder } from '../archive-in';
import { answered } from '../bounded';
import { engine, statusOf } from '../engine-errors';
import { SharedWork } from '../shared-work';
import { buildFailure } from './build-verdict';
import { EngineTurn } from './engine-turn';
import { ImageAhead } from './image-ahead';
import { ImageBudget } from './image-budget';
import { isOthersToo, namesOf } from './image-names';
import { ImagePuller } from './image-puller';
import { OwnImages } from './own-images';
import { LONGEST_MS, progress } from './progress';
import { byDigest } from './reference';
import { authForBuilds, NO_LOGINS, type RegistryLogins } from './registry-logins';
import type { RegistryPatience } from './registry-patience';

export interface DockerImagesOptions {
  readonly namespace: Namespace;
  /** BASE_IMAGE of builds; null: what the Dockerfile says. */
  readonly baseImage: string | null;
  /** Prefix of a mirror of Docker Hub, e.g. `mirror.example:5000/hub`; absent: none. */
  readonly registryMirror?: string;
  /** Users and passwords of registries; absent: none. */
  readonly registryLogins?: RegistryLogins;
  /** What images that we built or pulled may take on the disk, shared layers counted once; absent: no bound. */
  readonly imageBudgetMb?: number;
  /** How long an image must have rested before it may go; absent: some minutes, or hours where needs are unknown. */
  readonly imageRestMs?: number;
  /** How registries are left alone that said "too many requests". */
  readonly patience?: RegistryPatience;
  /** Absent: nothing is said. */
  readonly logger?: SandboxLog;
}

type Image = Omit<PreparedImage, 'contextDir'>;

/** For whom an image is made ready: a trial or grade that waits for it, or nobody yet. */
interface Asker {
  readonly waits: boolean;
  readonly signal: AbortSignal;
}

/** Images of tasks: each is built or pulled once, however many trials ask for it at the same time. */
export class DockerImages {
  private readonly shared = new SharedWork<string>();
  private readonly own: OwnImages;
  private readonly puller: ImagePuller;
  private readonly budget: ImageBudget | null;
  private readonly ahead: ImageAhead;

  constructor(
    private readonly docker: Docker,
    private readonly options: DockerImagesOptions,
  ) {
    const {
      namespace,
      registryMirror: mirror = null,
      imageBudgetMb: budgetMb,
      imageRestMs,
      patience,
      registryLogins: logins = NO_LOGINS,
      logger = SILENT,
    } = options;
    this.own = new OwnImages(docker, namespace);
    this.puller = new ImagePuller(docker, { mirror, logins, ...(patience === undefined ? {} : { patience }) });
    const rest = imageRestMs === undefined ? {} : { restedMs: imageRestMs };
    this.budget = budgetMb === undefined ? null : new ImageBudget(docker, this.own, { budgetMb, logger, ...rest });
    this.ahead = new ImageAhead({ shared: this.shared, turn: new EngineTurn(docker, namespace) });
  }

  /**
   * @throws TaskError `image_build_failed` for a Dockerfile that cannot be built, InfraError for whatever is ours:
   * `image_unavailable`, `image_build_failed`, `disk_full`, `engine_failed`
   */
  async prepare(source: ImageSource, contextDir: string | null, signal: AbortSignal): Promise<PreparedImage> {
    return { ...(await this.made(source, contextDir, { waits: true, signal })), contextDir };
  }

  /** Whether an image is here. */
  async has(source: ImageSource): Promise<boolean> {
    if (source.kind === 'reference' && (await this.frozenHere(source)) !== null) return true;
    const [ownName = ''] = await this.ownNamesOf([source]);
    const names = source.kind === 'build' ? [ownName] : [ownName, ...this.otherNamesOf(wantedReference(source))];
    const found = await Promise.all(names.map((name) => this.inspect(name)));
    return found.some((image) => image !== null);
  }

  /** Makes an image ready that nobody waits for yet. */
  async makeAhead(
    source: ImageSource,
    contextDir: string | null,
    { needed, signal }: AheadContext,
  ): Promise<AheadOutcome> {
    const pausedMs = source.kind === 'build' ? 0 : this.puller.pausedMs(wantedReference(source));
    const hasRoom = async (): Promise<boolean> => (await this.budget?.hasRoom(await this.namesOf(needed))) ?? true;
    return this.ahead.make({ pausedMs, hasRoom, signal }, (abort) =>
      this.made(source, contextDir, { waits: false, signal: abort }),
    );
  }

  /** Removes images of ours that the budget has no room for. @param needed by open runs; null: nobody can say */
  async tidy(needed: readonly ImageSource[] | null): Promise<number> {
    const { budget } = this;
    if (budget === null) return 0;
    return engine('images cannot be tidied', 'prepare', async () => budget.keep(await this.namesOf(needed)));
  }

  private async namesOf(needed: readonly ImageSource[] | null): Promise<ReadonlySet<string> | null> {
    return needed === null ? null : new Set(await this.ownNamesOf(needed));
  }

  private async ownNamesOf(sources: readonly ImageSource[]): Promise<string[]> {
    const { baseImage } = this.options;
    const baseId = baseImage === null ? '' : ((await this.inspect(baseImage))?.imageId ?? '');
    return sources.map((source) =>
      source.kind === 'build'
        ? this.own.builtName(source.contextDigest, baseId)
        : this.own.pulledName(wantedReference(source)),
    );
  }

  private made(source: ImageSource, contextDir: string | null, asker: Asker): Promise<Image> {
    return source.kind === 'build' ? this.built(source.contextDigest, contextDir, asker) : this.named(source, asker);
  }

  private async built(contextDigest: string, contextDir: string | null, asker: Asker): Promise<Image> {
    if (contextDir === null) {
      throw new TaskError('the task has no build context', { code: 'context_missing', phase: 'prepare' });
    }
    const base = await this.base(asker);
    const name = this.own.builtName(contextDigest, base?.id ?? '');
    const found = await this.inspect(name);
    if (found !== null) {
      await this.use(found.imageId, name);
      return found;
    }
    await this.once(name, asker, async (abort) => {
      await this.build(name, contextDir, base === null ? {} : { BASE_IMAGE: base.name }, abort);
      return name;
    });
    return this.mustHave(name);
  }

  private async build(
    name: string,
    contextDir: string,
    buildargs: Record<string, string>,
    abort: AbortSignal,
  ): Promise<void> {
    const printed: string[] = [];
    try {
      const stream = await this.docker.buildImage(packFolder(contextDir, '', 'prepare'), {
        t: name,
        buildargs,
        forcerm: true,
        labels: { [NAMESPACE_LABEL]: this.options.namespace },
        ...authForBuilds(this.options.registryLogins ?? NO_LOGINS),
        abortSignal: AbortSignal.any([abort, AbortSignal.timeout(LONGEST_MS)]),
      });
      await progress(this.docker, stream, printed);
    } catch (error) {
      abort.throwIfAborted();
      if (error instanceof BlamedError) throw error;
      throw buildFailure(error, printed.join(''));
    }
  }

  /** Null when the Dockerfile's own base is used. */
  private async base(asker: Asker): Promise<{ name: string; id: string } | null> {
    const { baseImage } = this.options;
    if (baseImage === null) return null;
    const { imageId } = await this.localOrPulled(baseImage, asker);
    return { name: baseImage, id: imageId };
  }

  private async named(source: ReferenceSource, asker: Asker): Promise<Image> {
    return (await this.frozenHere(source)) ?? this.localOrPulled(wantedReference(source), asker);
  }

  /** An image that was built here has no registry digest: its id is what it is frozen by. */
  private async frozenHere({ reference, digest }: ReferenceSource): Promise<Image | null> {
    if (digest === undefined) return null;
    const local = await this.inspect(reference);
    return local?.imageId === digest ? local : null;
  }

  private async localOrPulled(reference: string, asker: Asker): Promise<Image> {
    const pulledName = this.own.pulledName(reference);
    const pulled = await this.inspect(pulledName);
    if (pulled !== null) {
      await this.use(pulled.imageId, pulledName);
      return pulled;
    }
    for (const name of this.otherNamesOf(reference)) {
      const local = await this.inspect(name);
      if (local !== null) return local;
    }
    const tries = asker.waits ? 'many' : 'one';
    return this.mustHave(await this.once(reference, asker, (abort) => this.pull(reference, abort, tries)));
  }

  /** Names that an image may have that we did not pull. */
  private otherNamesOf(reference: string): string[] {
    return [this.own.knownName(reference), reference];
  }

  /** Does a pull or build once, however many wait. One that was begun ahead and fails is done again for who waits. */
  private async once(name: string, asker: Asker, work: (abort: AbortSignal) => Promise<string>): Promise<string> {
    const { waits, signal } = asker;
    if (!waits) this.ahead.begin(name);
    const begunAhead = waits && this.ahead.giveWay(name);
    try {
      return await this.shared.ask(name, signal, work);
    } catch (error) {
      if (!begunAhead || signal.aborted) throw error;
      return this.shared.ask(name, signal, work);
    }
  }

  /** Resolves with the name that the image got. */
  private async pull(reference: string, abort: AbortSignal, tries: 'many' | 'one'): Promise<string> {
    const pulled = await this.puller.pull(reference, abort, tries);
    return engine('an image cannot be named', 'prepare', async () => {
      const names = namesOf(await answered(this.docker.getImage(pulled).inspect(), 'prepare'));
      const name = isOthersToo(names) ? this.own.knownName(reference) : this.own.pulledName(reference);
      await this.own.give(pulled, name);
      return name;
    });
  }

  private async use(image: string, ownName: string): Promise<void> {
    await engine('an image cannot be named', 'prepare', () => this.own.use(image, ownName));
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
        const { Id, Config } = await answered(this.docker.getImage(reference).inspect(), 'prepare');
        return { imageId: Id, workdir: Config.WorkingDir === '' ? '/' : Config.WorkingDir };
      } catch (error) {
        if (statusOf(error) === 404) return null;
        throw error;
      }
    });
  }
}

type ReferenceSource = Extract<ImageSource, { kind: 'reference' }>;

/** By what an image is asked for: its frozen content, where it has one. */
function wantedReference({ reference, digest }: ReferenceSource): string {
  return digest === undefined ? reference : byDigest(reference, digest);
}
