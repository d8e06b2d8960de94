import { existsSync } from 'node:fs';
import Docker from 'dockerode';
import type { ImageSource, Namespace } from '@assay/contracts';
import { InfraError } from '@assay/failures';
import { freeMegabytes } from '../free-disk';
import { decodeLabels, encodeLabels, labelsFor, NAMESPACE_LABEL, sandboxName } from '../labels';
import { isDoomed } from '../reaping';
import type { Liveness, PreparedImage, Sandbox, SandboxProvider, SandboxRequest } from '../sandbox.port';
import { packEntries } from './archive-in';
import { DockerImages } from './docker-images';
import { DOCKER_PATHS, DockerSandbox } from './docker.sandbox';
import { engine } from './engine-errors';
import { removeContainer } from './remove-container';

export interface DockerProviderOptions {
  readonly namespace: Namespace;
  /** BASE_IMAGE of builds; null: what the Dockerfile says. */
  readonly baseImage: string | null;
  /** Free space on the engine's disk below which no sandbox is made (where that disk can be seen). */
  readonly minFreeMb?: number;
  /** An engine that takes longer than this to say how it is does not work. Milliseconds. */
  readonly answerMs?: number;
  /** Between two looks at what a container has written. Milliseconds, default 5000. */
  readonly diskLookMs?: number;
}

const MEBIBYTE = 1_048_576;
const MIN_FREE_MB = 1_024;
const ANSWER_MS = 10_000;

/** Sealed containers: no network, no capabilities, bounded memory, CPUs and processes, dead at their deadline. */
export class DockerSandboxProvider implements SandboxProvider {
  readonly name = 'docker';
  private readonly docker = new Docker();
  private readonly images: DockerImages;

  constructor(private readonly options: DockerProviderOptions) {
    this.images = new DockerImages(this.docker, options.namespace, options.baseImage);
  }

  async check(): Promise<void> {
    const asker = new Docker({ timeout: this.options.answerMs ?? ANSWER_MS });
    const info = await engine('the Docker engine does not answer', 'prepare', async () => {
      return (await asker.info()) as { DockerRootDir?: string };
    });
    const dir = info.DockerRootDir ?? '';
    if (dir === '' || !existsSync(dir)) return;
    const free = await freeMegabytes(dir);
    const wanted = this.options.minFreeMb ?? MIN_FREE_MB;
    if (free >= wanted) return;
    throw new InfraError(`${dir} has ${free} MB free, below ${wanted} MB`, {
      code: 'disk_full',
      phase: 'prepare',
      details: { freeMb: free, wantedMb: wanted },
    });
  }

  prepareImage(source: ImageSource, contextDir: string | null, signal: AbortSignal): Promise<PreparedImage> {
    return this.images.prepare(source, contextDir, signal);
  }

  async create(request: SandboxRequest): Promise<Sandbox> {
    const labels = labelsFor(this.options.namespace, request, Date.now());
    const name = sandboxName(labels);
    const { workdir } = request.image;
    const env = folderVariables(workdir);
    return engine('a sandbox cannot be made', 'prepare', async () => {
      await removeContainer(this.docker.getContainer(name));
      const container = await this.docker.createContainer({
        ...layout(request, env),
        name,
        Labels: encodeLabels(labels),
      });
      try {
        await container.start();
        const logs = ['agent', 'verifier', 'artifacts'].map((part) => `${DOCKER_PATHS.logs}/${part}`);
        await container.putArchive(packEntries([...Object.values(DOCKER_PATHS), ...logs], []), { path: '/' });
      } catch (error) {
        await removeContainer(container);
        throw error;
      }
      const phase = request.role === 'grade' ? 'grade' : 'agent';
      const { diskMb } = request.limits;
      const { diskLookMs } = this.options;
      const bounds = diskLookMs === undefined ? { diskMb } : { diskMb, diskLookMs };
      return new DockerSandbox(container, workdir, phase, bounds, env);
    });
  }

  async reap(isLive: Liveness | null): Promise<number> {
    return engine('left-over containers cannot be removed', 'prepare', async () => {
      const label = `${NAMESPACE_LABEL}=${this.options.namespace}`;
      const found = await this.docker.listContainers({ all: true, filters: { label: [label] } });
      let removed = 0;
      for (const { Id, Labels } of found) {
        const labels = decodeLabels(Labels);
        if (labels === null || !(await isDoomed(labels, isLive, Date.now()))) continue;
        await removeContainer(this.docker.getContainer(Id));
        removed += 1;
      }
      return removed;
    });
  }
}

function folderVariables(workdir: string): Record<string, string> {
  const { tests, solution, logs } = DOCKER_PATHS;
  return { TESTS_DIR: tests, SOLUTION_DIR: solution, LOGS_DIR: logs, APP_DIR: workdir };
}

/** How the container is laid out. A grade with outside network keeps the engine's default capabilities, as officially. */
function layout(
  { image, limits, network, user, lifetimeSeconds, role }: SandboxRequest,
  env: Readonly<Record<string, string>>,
): Docker.ContainerCreateOptions {
  const official = role === 'grade' && network === 'outside';
  return {
    Image: image.imageId,
    // The dead-man switch: whoever is left to watch it, the container ends at its deadline.
    Entrypoint: ['sleep'],
    Cmd: [String(Math.ceil(lifetimeSeconds))],
    WorkingDir: image.workdir,
    Env: Object.entries(env).map(([name, value]) => `${name}=${value}`),
    ...(user === null ? {} : { User: user }),
    HostConfig: {
      NetworkMode: network === 'none' ? 'none' : 'bridge',
      CapDrop: official ? [] : ['ALL'],
      SecurityOpt: ['no-new-privileges'],
      Init: true,
      PidsLimit: limits.pids,
      Memory: limits.memoryMb * MEBIBYTE,
      MemorySwap: limits.memoryMb * MEBIBYTE,
      NanoCpus: Math.round(limits.cpus * 1e9),
      LogConfig: { Type: 'none', Config: {} },
    },
  };
}
