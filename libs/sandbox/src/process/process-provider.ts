import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { ImageSource, Namespace } from '@assay/contracts';
import { TaskError } from '@assay/failures';
import { requireRoom } from '../free-disk';
import { decodeLabels, encodeLabels, labelsFor, sandboxName, type SandboxLabels } from '../labels';
import { checkMounts } from '../mounts';
import { isDoomed } from '../reaping';
import { removeTree } from '../remove-tree';
import type { AheadOutcome, Liveness, PreparedImage, Sandbox, SandboxProvider, SandboxRequest } from '../sandbox.port';
import { ConfinedRoot } from './confined';
import { readDockerfile, type DockerfilePlan } from './dockerfile';
import { layOut } from './lay-out';
import { allowedEnv, RESERVED_NAMES } from './layout';
import { ProcessSandbox } from './process.sandbox';
import { killStrays } from './strays';
import { startWatchdog } from './watchdog';

export interface ProcessProviderOptions {
  readonly namespace: Namespace;
  /** Folder of the host that holds the sandboxes; shared by every executor of this host. */
  readonly workDir: string;
  /** PATH of the commands. */
  readonly path: string;
  /** Free space below which no sandbox is made. */
  readonly minFreeMb?: number;
}

const LABELS_FILE = 'labels.json';

/** A folder without labels is one that is being made, unless it is older than this. */
const UNLABELLED_MS = 600_000;

/** Sandboxes without an engine: for suites that publish no score, and for machines without Docker. */
export class ProcessSandboxProvider implements SandboxProvider {
  readonly name = 'process';
  private readonly home: string;

  constructor(private readonly options: ProcessProviderOptions) {
    this.home = join(options.workDir, `${options.namespace}-sandboxes`);
  }

  async check(): Promise<void> {
    await mkdir(this.home, { recursive: true });
    await requireRoom(this.home, this.options.minFreeMb ?? 256);
  }

  /** Nothing bounds a process: every limit is one that it can have. */
  fits(): Promise<void> {
    return Promise.resolve();
  }

  async prepareImage(source: ImageSource, contextDir: string | null): Promise<PreparedImage> {
    const plan = await this.planOf(source, contextDir);
    return { imageId: 'process', workdir: plan.workdir, contextDir };
  }

  hasImage(): Promise<boolean> {
    return Promise.resolve(true);
  }

  prepareAhead(): Promise<AheadOutcome> {
    return Promise.resolve('made');
  }

  tidyImages(): Promise<number> {
    return Promise.resolve(0);
  }

  async create(request: SandboxRequest): Promise<Sandbox> {
    await this.check();
    await checkMounts(request.mounts);
    const labels = labelsFor(this.options.namespace, request, Date.now());
    const id = sandboxName(labels);
    const dir = join(this.home, id);
    if (existsSync(dir)) await this.remove(id);
    await mkdir(dir);
    await writeFile(join(dir, `${LABELS_FILE}.new`), JSON.stringify(encodeLabels(labels)));
    await rename(join(dir, `${LABELS_FILE}.new`), join(dir, LABELS_FILE));
    const { contextDir } = request.image;
    const root = new ConfinedRoot(join(dir, 'root'));
    const plan = await this.planOf({ kind: 'build' }, contextDir);
    await layOut(root, plan, contextDir ?? '');
    const workdir = root.locate(plan.workdir, '/');
    const env = { ...plan.env, ...pickReserved(plan, allowedEnv(root.dir, workdir, this.options.path)) };
    const mark = `${id}.${randomBytes(4).toString('hex')}`;
    const watch = (): (() => void) => startWatchdog(mark, (labels.deadline - Date.now()) / 1000, this.options.path);
    const { role, mounts, network } = request;
    const gatewayUrl = typeof network === 'object' ? network.gateway.loopbackUrl : null;
    return new ProcessSandbox({ id, mark, dir, root, workdir, env, role, mounts, gatewayUrl, startWatchdog: watch });
  }

  async close(): Promise<void> {
    // Nothing is held between sandboxes.
  }

  async reap(isLive: Liveness | null): Promise<number> {
    await mkdir(this.home, { recursive: true });
    const listed = await Promise.all((await readdir(this.home)).map((id) => this.labelsOf(id)));
    let removed = 0;
    for (const { id, labels, age } of listed) {
      const doomed = labels === null ? age > UNLABELLED_MS : await isDoomed(labels, isLive, Date.now());
      if (!doomed) continue;
      await this.remove(id);
      removed += 1;
    }
    return removed;
  }

  private async remove(id: string): Promise<void> {
    const dir = join(this.home, basename(id));
    await killStrays({ marker: `${id}.`, dir: join(dir, 'root') });
    await removeTree(dir);
  }

  private async labelsOf(id: string): Promise<{ id: string; labels: SandboxLabels | null; age: number }> {
    const dir = join(this.home, id);
    try {
      const text = await readFile(join(dir, LABELS_FILE), 'utf8');
      const labels = decodeLabels(JSON.parse(text) as Record<string, string>);
      return { id, labels: labels?.namespace === this.options.namespace ? labels : null, age: 0 };
    } catch {
      const made = await stat(dir).then(
        ({ mtimeMs }) => mtimeMs,
        () => Date.now(),
      );
      return { id, labels: null, age: Date.now() - made };
    }
  }

  private async planOf(source: Pick<ImageSource, 'kind'>, contextDir: string | null): Promise<DockerfilePlan> {
    if (source.kind === 'reference' || contextDir === null) {
      throw new TaskError('the task names a ready image, which the process sandbox cannot run', {
        code: 'image_needs_docker',
        phase: 'prepare',
      });
    }
    const file = join(contextDir, 'Dockerfile');
    const text = await readFile(file, 'utf8').catch((cause: unknown) => {
      throw new TaskError('the task has no environment/Dockerfile', {
        code: 'dockerfile_missing',
        phase: 'prepare',
        cause,
      });
    });
    return readDockerfile(text, { PATH: this.options.path });
  }
}

/** The sandbox's own variables, but a PATH that the task sets: it was expanded with ours. */
function pickReserved(plan: DockerfilePlan, own: Record<string, string>): Record<string, string> {
  const reserved = new Set<string>(RESERVED_NAMES);
  return Object.fromEntries(Object.entries(own).filter(([name]) => reserved.has(name) || plan.env[name] === undefined));
}
