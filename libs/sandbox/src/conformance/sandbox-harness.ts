import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Digest, InstanceId, Namespace, RunId, type WorkKey } from '@assay/contracts';
import { PROJECT_ROOT, removeTestImages } from '@assay/testing';
import { removeTree } from '../remove-tree';
import type { ExecRequest, PreparedImage, Sandbox, SandboxProvider, SandboxRequest } from '../sandbox.port';

/** What the conformance suite needs to know of an adapter. */
export interface Adapter {
  readonly name: SandboxProvider['name'];
  /** A provider of this namespace; two with the same namespace and folder stand for two executors of one host. */
  provider(namespace: Namespace, workDir: string): SandboxProvider;
}

/** The forwarder of the model gateway. */
export const TEST_FORWARDER = {
  node: process.execPath,
  program: join(PROJECT_ROOT, 'libs/model-gateway/bin/forwarder.cjs'),
};

let serial = 0;

/** One adapter under test: a namespace and a folder of its own, and whatever was made in it taken away at the end. */
export class SandboxHarness {
  readonly namespace = Namespace.parse(`t${process.pid.toString(36)}_${(serial += 1)}`);
  private readonly made: Sandbox[] = [];
  private workDir = '';
  private contextDir = '';
  provider!: SandboxProvider;

  constructor(private readonly adapter: Adapter) {}

  async open(): Promise<void> {
    this.workDir = await mkdtemp(join(tmpdir(), 'assay-sandbox-'));
    this.contextDir = join(this.workDir, 'context');
    await writeTree(this.contextDir, {
      Dockerfile: [
        'ARG BASE_IMAGE=node:22-bookworm',
        'FROM ${BASE_IMAGE}',
        'WORKDIR /app',
        'COPY app/ ./',
        'ENV GREETING="hello there"',
      ].join('\n'),
      'app/greeting.txt': 'hello\n',
      'app/src/tool.sh': '#!/bin/sh\necho tool\n',
    });
    this.provider = this.another();
  }

  async close(): Promise<void> {
    for (const sandbox of this.made) await sandbox.destroy();
    await this.provider.close();
    // What a test took away by hand may have left its volumes.
    for (const provider of [this.another(), this.foreign()]) await provider.reap(() => false);
    await removeTree(this.workDir);
    if (this.adapter.name === 'docker') {
      for (const name of [this.namespace, `${this.namespace}x`]) await removeTestImages(name);
    }
  }

  /** A second executor's provider: same namespace, same host. */
  another(): SandboxProvider {
    return this.adapter.provider(this.namespace, this.workDir);
  }

  foreign(): SandboxProvider {
    return this.adapter.provider(Namespace.parse(`${this.namespace}x`), this.workDir);
  }

  /** An empty folder of the host. */
  hostDir(): Promise<string> {
    return mkdtemp(join(this.workDir, 'host-'));
  }

  image(provider = this.provider): Promise<PreparedImage> {
    const source = { kind: 'build', contextDigest: Digest.parse('c'.repeat(64)) } as const;
    return provider.prepareImage(source, this.contextDir, new AbortController().signal);
  }

  async sandbox(overrides: Partial<SandboxRequest> = {}, provider = this.provider): Promise<Sandbox> {
    const sandbox = await provider.create({
      key: workKeyOf(`case-${(serial += 1)}`),
      epoch: 1,
      role: 'trial',
      image: await this.image(provider),
      limits: { cpus: 1, memoryMb: 256, diskMb: 512, pids: 64 },
      network: 'none',
      mounts: [],
      user: null,
      lifetimeSeconds: 300,
      ...overrides,
    });
    this.made.push(sandbox);
    return sandbox;
  }
}

export function workKeyOf(instance: string): WorkKey {
  return { kind: 'trial', runId: RunId.parse('run-1'), instanceId: InstanceId.parse(instance), sample: 0 };
}

/** A shell command with bounds that no test should reach. */
export function shell(script: string, overrides: Partial<ExecRequest> = {}): ExecRequest {
  return { command: ['sh', '-c', script], timeoutMs: 30_000, maxOutputBytes: 1_048_576, ...overrides };
}

/** Writes files below a folder of the host. */
export async function writeTree(dir: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(dir, path)), { recursive: true });
    await writeFile(join(dir, path), content, { mode: path.endsWith('.sh') ? 0o755 : 0o644 });
  }
}
