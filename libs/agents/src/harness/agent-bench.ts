import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Digest, InstanceId, Namespace, RunId } from '@assay/contracts';
import { ProcessSandboxProvider, removeTree, type Sandbox } from '@assay/sandbox';

const source = { kind: 'build', contextDigest: Digest.parse('e'.repeat(64)) } as const;

/** A process sandbox with a small repository in its working directory, and folders of the host beside it. */
export class AgentBench {
  private serial = 0;

  private constructor(
    readonly dir: string,
    private readonly provider: ProcessSandboxProvider,
  ) {}

  static async open(): Promise<AgentBench> {
    const dir = await mkdtemp(join(tmpdir(), 'assay-agents-'));
    const namespace = Namespace.parse(`ta${process.pid.toString(36)}`);
    const path = process.env['PATH'] ?? '/usr/bin:/bin';
    return new AgentBench(dir, new ProcessSandboxProvider({ namespace, workDir: dir, path }));
  }

  async close(): Promise<void> {
    await this.provider.reap(() => false);
    await removeTree(this.dir);
  }

  /** A sandbox whose working directory holds these files. */
  async sandbox(files: Readonly<Record<string, string | Buffer>>): Promise<Sandbox> {
    const context = await this.folder({ Dockerfile: 'FROM x\nWORKDIR /app\nCOPY app/ ./\n' });
    await mkdir(join(context, 'app'), { recursive: true });
    await writeFiles(join(context, 'app'), files);
    return this.sandboxOf(context);
  }

  /** A sandbox of a task's environment, a folder with its Dockerfile. */
  async sandboxOf(context: string): Promise<Sandbox> {
    this.serial += 1;
    const id = `bench-${this.serial}`;
    const image = await this.provider.prepareImage(source, context);
    return this.provider.create({
      key: {
        kind: 'trial',
        runId: RunId.parse('run-1'),
        instanceId: InstanceId.parse(id),
        sample: 0,
      },
      epoch: 1,
      role: 'trial',
      image,
      limits: { cpus: 1, memoryMb: 256, diskMb: 512, pids: 64 },
      network: 'none',
      mounts: [],
      user: null,
      lifetimeSeconds: 300,
    });
  }

  /** A folder of the host with these files. */
  async folder(files: Readonly<Record<string, string | Buffer>> = {}): Promise<string> {
    const dir = await mkdtemp(join(this.dir, 'folder-'));
    await writeFiles(dir, files);
    return dir;
  }
}

async function writeFiles(dir: string, files: Readonly<Record<string, string | Buffer>>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(dir, path)), { recursive: true });
    await writeFile(join(dir, path), content, { mode: path.endsWith('.sh') ? 0o755 : 0o644 });
  }
}

/** Runs a script in a sandbox and expects it to succeed. */
export async function inside(sandbox: Sandbox, script: string): Promise<string> {
  const command = ['bash', '-ec', script];
  const { exitCode, output } = await sandbox.exec({ command, timeoutMs: 30_000, maxOutputBytes: 1_048_576 });
  if (exitCode !== 0) throw new Error(`exit ${String(exitCode)}: ${output.toString('utf8')}`);
  return output.toString('utf8');
}
