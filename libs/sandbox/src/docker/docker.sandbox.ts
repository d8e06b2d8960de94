import type Docker from 'dockerode';
import type { HostParts } from '../host-parts';
import { mountOf } from '../mounts';
import type { ExecRequest, ExecResult, FetchBounds, Sandbox, SandboxRequest } from '../sandbox.port';
import { withinTime } from './bounded';
import type { CoreLease } from './cores';
import { DiskWatch, type DiskWatchOptions } from './disk-watch';
import { DockerExec } from './docker-exec';
import { DockerFiles } from './docker-files';
import { engine } from './engine-errors';
import { killContainer, removeContainer } from './remove-container';
import type { SidecarLease } from './sidecar/sidecar-lease';

/** Harbor's folders. */
export const DOCKER_PATHS = { tests: '/tests', solution: '/solution', logs: '/logs' } as const;

const REMOVE_MS = 120_000;

export interface DockerSandboxParts {
  readonly container: Docker.Container;
  readonly request: SandboxRequest;
  /** Every variable that a command gets beside its own and the image's. */
  readonly env: Readonly<Record<string, string>>;
  /** Null: no way to a model gateway. */
  readonly sidecar: SidecarLease | null;
  /** Null: it runs on any core. */
  readonly cores: CoreLease | null;
  /** How its disk is watched. */
  readonly disk: Omit<DiskWatchOptions, 'maxMb' | 'phase'>;
}

/** One container, which does nothing but sleep until its deadline; commands are executed in it. */
export class DockerSandbox implements Sandbox {
  readonly paths = DOCKER_PATHS;
  readonly id: string;
  readonly workdir: string;
  readonly gatewayUrl: string | null;
  private readonly phase: 'agent' | 'grade';
  private readonly commands: DockerExec;
  private readonly files: DockerFiles;
  private readonly disk: DiskWatch;
  private ending: Promise<void> | null = null;

  constructor(private readonly parts: DockerSandboxParts) {
    const { container, env, request, sidecar } = parts;
    this.id = container.id;
    this.workdir = request.image.workdir;
    this.gatewayUrl = sidecar?.url ?? null;
    this.phase = request.role === 'grade' ? 'grade' : 'agent';
    this.commands = new DockerExec(container, env, this.workdir, this.phase);
    this.files = new DockerFiles(container, this.workdir, this.phase);
    this.disk = new DiskWatch(container, { ...parts.disk, maxMb: request.limits.diskMb, phase: this.phase });
  }

  inside(hostDir: string): string {
    return mountOf(this.parts.request.mounts, hostDir).insideDir;
  }

  /** @throws InfraError `gateway_lost` when the way to the model gateway broke meanwhile */
  async exec(request: ExecRequest): Promise<ExecResult> {
    const { sidecar } = this.parts;
    this.disk.start();
    try {
      const result = await this.commands.run(withSignal(request, sidecar?.lost));
      if (sidecar?.lost.aborted === true) throw sidecar.lostError(this.phase);
      return result;
    } finally {
      // Why the container was killed outranks what its command met with.
      await this.disk.verdict();
    }
  }

  putFolder(hostDir: string, insideDir: string): Promise<void> {
    return this.files.putFolder(hostDir, insideDir);
  }

  putFile(insidePath: string, content: Buffer, mode?: number): Promise<void> {
    return this.files.putFile(insidePath, content, mode);
  }

  putParts(parts: HostParts): Promise<void> {
    return this.files.putParts(parts);
  }

  getFile(insidePath: string, maxBytes: number): Promise<Buffer | null> {
    return this.files.getFile(insidePath, maxBytes);
  }

  list(insideDir: string): Promise<string[]> {
    return this.files.list(insideDir);
  }

  fetchFolder(insideDir: string, hostDir: string, bounds: FetchBounds): Promise<void> {
    return this.files.fetchFolder(insideDir, hostDir, bounds);
  }

  async kill(): Promise<void> {
    this.disk.stop();
    await withinTime(REMOVE_MS, () =>
      engine('a sandbox cannot be killed', this.phase, () => killContainer(this.parts.container)),
    );
  }

  async destroy(): Promise<void> {
    await withinTime(REMOVE_MS, () =>
      engine('a sandbox cannot be removed', this.phase, async () => {
        this.ending ??= this.end();
        try {
          await this.ending;
        } catch (error) {
          this.ending = null;
          throw error;
        }
      }),
    );
  }

  private async end(): Promise<void> {
    this.disk.stop();
    const { container, sidecar, cores } = this.parts;
    let dead = false;
    try {
      await killContainer(container);
      dead = true;
    } finally {
      cores?.giveBack();
      await sidecar?.end(dead);
    }
    await removeContainer(container);
  }
}

function withSignal(request: ExecRequest, lost: AbortSignal | undefined): ExecRequest {
  if (lost === undefined) return request;
  return { ...request, signal: request.signal === undefined ? lost : AbortSignal.any([request.signal, lost]) };
}
