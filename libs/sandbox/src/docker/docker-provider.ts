import { existsSync } from 'node:fs';
import Docker from 'dockerode';
import type { ImageSource } from '@assay/contracts';
import { InfraError } from '@assay/failures';
import { requireRoom } from '../free-disk';
import { encodeLabels, labelsFor, sandboxName } from '../labels';
import { checkMounts } from '../mounts';
import { SILENT } from '../sandbox-log';
import type {
  AheadContext,
  AheadOutcome,
  Liveness,
  PreparedImage,
  Sandbox,
  SandboxLimits,
  SandboxProvider,
  SandboxRequest,
} from '../sandbox.port';
import { packEntries } from './archive-in';
import { answered } from './bounded';
import { containerLayout } from './container-layout';
import { EngineDisk } from './disk/engine-disk';
import { DOCKER_PATHS, DockerSandbox } from './docker.sandbox';
import { EngineCapacity } from './engine-capacity';
import { engine } from './engine-errors';
import { DockerImages, type DockerImagesOptions } from './images/docker-images';
import { ImageTmp } from './images/image-tmp';
import type { CoreLease, Pinning } from './cores';
import { removeLeftOvers } from './left-overs';
import { Pinner } from './pinner';
import { removeContainer } from './remove-container';
import type { Forwarder } from './sidecar/forwarder-image';
import type { SidecarLease } from './sidecar/sidecar-lease';
import { gatewayNotOffered, Sidecars } from './sidecar/sidecars';

export interface DockerProviderOptions extends DockerImagesOptions {
  /** Free space on the engine's disk below which no sandbox is made (where that disk can be seen). */
  readonly minFreeMb?: number;
  /** Free space on it below which a sandbox may be ended that has files which cannot be weighed; four times as much. */
  readonly nearlyFullMb?: number;
  /** An engine that takes longer than this to say how it is does not work. Milliseconds. */
  readonly answerMs?: number;
  /** Between two looks at what a container has written. Milliseconds, default 2000. */
  readonly diskLookMs?: number;
  /** Leads from a sandbox to the model gateway; absent: sandboxes with a gateway are refused. */
  readonly forwarder?: Forwarder;
  /** How long a sidecar that serves nobody is kept. Milliseconds, default 5 minutes. */
  readonly idleSidecarMs?: number;
  /** Cores that sandboxes are pinned to; absent: none. */
  readonly pinning?: Pinning;
}

const MIN_FREE_MB = 1_024;

/** Of the bound for new sandboxes: between two looks a fast writer gets some GB further. */
const NEARLY_FULL = 4;

const ANSWER_MS = 10_000;

/** What making or starting a container may take on an engine under load. Milliseconds. */
const START_MS = 180_000;

const IDLE_SIDECAR_MS = 300_000;

/** Harbor's folders, open to every user. */
const FOLDERS = [
  ...Object.values(DOCKER_PATHS),
  ...['agent', 'verifier', 'artifacts'].map((part) => `${DOCKER_PATHS.logs}/${part}`),
];

/** Sealed containers: no network, no capabilities, bounded memory, CPUs and processes, dead at their deadline. */
export class DockerSandboxProvider implements SandboxProvider {
  readonly name = 'docker';
  private readonly docker = new Docker();
  private readonly images: DockerImages;
  /** Null: this executor has no way to a model gateway. */
  private readonly sidecars: Sidecars | null;
  private readonly imageTmp: ImageTmp;
  private readonly disk: EngineDisk;
  private readonly capacity: EngineCapacity;
  /** Null: sandboxes run on any core. */
  private readonly pinner: Pinner | null;

  constructor(private readonly options: DockerProviderOptions) {
    const { namespace, forwarder, idleSidecarMs: idleMs = IDLE_SIDECAR_MS, pinning, logger = SILENT } = options;
    this.images = new DockerImages(this.docker, options);
    this.capacity = new EngineCapacity(this.docker);
    this.imageTmp = new ImageTmp(this.docker, namespace);
    const content = forwarder ?? { node: process.execPath, program: null };
    this.disk = new EngineDisk(this.docker, { namespace, content, logger });
    this.sidecars = forwarder === undefined ? null : new Sidecars(this.docker, { namespace, forwarder, idleMs });
    this.pinner = pinning === undefined ? null : new Pinner(this.docker, pinning, logger);
  }

  async check(): Promise<void> {
    const asker = new Docker({ timeout: this.options.answerMs ?? ANSWER_MS });
    const info = await engine('the Docker engine does not answer', 'prepare', async () => {
      return (await asker.info()) as { DockerRootDir?: string };
    });
    const dir = info.DockerRootDir ?? '';
    if (dir === '' || !existsSync(dir)) return;
    await requireRoom(dir, this.options.minFreeMb ?? MIN_FREE_MB);
  }

  fits(limits: SandboxLimits): Promise<void> {
    return this.capacity.require(limits);
  }

  prepareImage(source: ImageSource, contextDir: string | null, signal: AbortSignal): Promise<PreparedImage> {
    return this.images.prepare(source, contextDir, signal);
  }

  hasImage(source: ImageSource): Promise<boolean> {
    return this.images.has(source);
  }

  async prepareAhead(source: ImageSource, contextDir: string | null, context: AheadContext): Promise<AheadOutcome> {
    try {
      await this.check();
    } catch (error) {
      if (error instanceof InfraError && error.code === 'disk_full') return 'no_room';
      throw error;
    }
    return engine('an image cannot be made ahead', 'prepare', () => this.images.makeAhead(source, contextDir, context));
  }

  tidyImages(needed: readonly ImageSource[] | null): Promise<number> {
    return this.images.tidy(needed);
  }

  async create(request: SandboxRequest): Promise<Sandbox> {
    await checkMounts(request.mounts);
    const labels = labelsFor(this.options.namespace, request, Date.now());
    return engine('a sandbox cannot be made', 'prepare', async () => {
      const name = sandboxName(labels);
      const imageHasTmp = await this.imageTmp.hasContent(request.image.imageId);
      await removeContainer(this.docker.getContainer(name));
      const cores = (await this.pinner?.take(request)) ?? null;
      let sidecar: SidecarLease | null = null;
      let container: Docker.Container | null = null;
      try {
        sidecar = await this.sidecarFor(request, labels.deadline);
        const env = folderVariables(request.image.workdir);
        const parts = { env, labels: encodeLabels(labels), sidecarId: sidecar?.containerId ?? null, imageHasTmp };
        const layout = { ...containerLayout(pinned(request, cores), parts), name };
        container = await answered(this.docker.createContainer(layout), 'prepare', START_MS);
        await answered(container.start(), 'prepare', START_MS);
        await answered(container.putArchive(packEntries(FOLDERS, []), { path: '/' }), 'prepare');
        return new DockerSandbox({ container, request, env, sidecar, cores, disk: this.diskWatch() });
      } catch (error) {
        cores?.giveBack();
        if (container !== null) await removeContainer(container);
        await sidecar?.end(true);
        throw error;
      }
    });
  }

  async close(): Promise<void> {
    await engine('what was held ready cannot be removed', 'prepare', async () => {
      await Promise.all([this.sidecars?.close(), this.disk.close()]);
    });
  }

  private diskWatch() {
    const { diskLookMs: lookMs, minFreeMb = MIN_FREE_MB, nearlyFullMb = NEARLY_FULL * minFreeMb } = this.options;
    return { disk: this.disk, lookMs, nearlyFullMb };
  }

  private async sidecarFor({ network }: SandboxRequest, deadline: number): Promise<SidecarLease | null> {
    if (typeof network !== 'object') return null;
    if (this.sidecars === null) throw gatewayNotOffered();
    return this.sidecars.take(network.gateway.socket, deadline);
  }

  async reap(isLive: Liveness | null): Promise<number> {
    return engine('what is left over cannot be removed', 'prepare', () =>
      removeLeftOvers(this.docker, this.options.namespace, isLive),
    );
  }
}

function pinned(request: SandboxRequest, cores: CoreLease | null): SandboxRequest {
  return cores === null ? request : { ...request, cpuset: cores.cpuset };
}

function folderVariables(workdir: string): Record<string, string> {
  const { tests, solution, logs } = DOCKER_PATHS;
  return { TESTS_DIR: tests, SOLUTION_DIR: solution, LOGS_DIR: logs, APP_DIR: workdir };
}
