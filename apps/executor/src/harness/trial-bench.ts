import { randomUUID } from 'node:crypto';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { AgentLayers } from '@assay/agents';
import { FileArtifactStore } from '@assay/artifacts';
import {
  AttemptId,
  ClaimId,
  InstanceId,
  Namespace,
  RunId,
  type TrialSpec,
  type Usage,
  type WorkPhase,
} from '@assay/contracts';
import type { WorkContext } from '@assay/messaging';
import { FORWARDER_FILE, ModelGateway } from '@assay/model-gateway';
import { removeTree, sandboxProviders, Scratch, type SandboxProviders } from '@assay/sandbox';
import { contextDigest, packTask } from '@assay/suites';
import { type FolderContent, removeTestImages, writeTask } from '@assay/testing';
import { TrialModels } from '../model/trial-models';
import { TrialHandler } from '../trial/trial.handler';
import { TrialPreparer } from '../trial/trial-preparer';
import { TrialUploader } from '../trial/trial-uploader';

export interface TrialSeed {
  readonly agent?: string;
  /** Its package; absent: it is part of this build. */
  readonly frozen?: { readonly version: string; readonly integrity: string | null };
  readonly model?: string;
  /** Its id; absent: one that no other has. */
  readonly instance?: string;
  readonly sandbox?: TrialSpec['sandbox'];
  readonly history?: TrialSpec['history'];
  readonly publishesScore?: boolean;
  readonly limits?: Partial<TrialSpec['limits']>;
  readonly signal?: AbortSignal;
  readonly runBudget?: WorkContext['runBudget'];
  /** Told each phase as it begins. */
  readonly onPhase?: (phase: WorkPhase) => void;
}

let serial = 0;

/** The executor's handler with its real parts: artifacts on disk, real sandboxes; only the grant is the test's own. */
export class TrialBench {
  readonly namespace = Namespace.parse(`tx${process.pid.toString(36)}_${(serial += 1)}`);
  readonly phases: WorkPhase[] = [];
  /** What the last trial said of its spending; null: nothing. */
  spending: (() => Usage) | null = null;
  private readonly gateways: ModelGateway[] = [];
  /** Every line that was logged. */
  log = '';

  private constructor(
    readonly dir: string,
    readonly artifacts: FileArtifactStore,
  ) {}

  static async open(): Promise<TrialBench> {
    const dir = await mkdtemp(join(tmpdir(), 'assay-executor-'));
    const namespace = Namespace.parse('tx');
    return new TrialBench(dir, new FileArtifactStore({ dir: join(dir, 'artifacts'), namespace }));
  }

  get workDir(): string {
    return join(this.dir, 'work');
  }

  providers(kinds: readonly TrialSpec['sandbox'][], baseImage: string | null = null): SandboxProviders {
    const forwarder = { node: process.execPath, program: FORWARDER_FILE };
    return sandboxProviders(kinds, { namespace: this.namespace, workDir: this.workDir, baseImage, forwarder });
  }

  /** The way to a model at this address, which takes this key. */
  async models(baseUrl: string, key: string): Promise<TrialModels> {
    const [keys, dir] = [await mkdtemp(join(this.dir, 'key-')), await mkdtemp(join(this.dir, 'gateway-'))];
    await writeFile(join(keys, 'key'), key, { mode: 0o600 });
    const socket = join(dir, 'model.sock');
    const gateway = await ModelGateway.start({
      upstream: { baseUrl, keyFile: join(keys, 'key') },
      listen: { socketPath: socket, loopbackPort: 0 },
      spoolDir: join(dir, 'spool'),
      prices: null,
    });
    this.gateways.push(gateway);
    return new TrialModels({ gateway, at: { socket, loopbackUrl: gateway.loopbackUrl ?? '' } });
  }

  handler(providers: SandboxProviders, models = new TrialModels(null)): TrialHandler {
    const stream = { write: (line: string) => void (this.log += line) };
    const scratch = new Scratch(join(this.workDir, 'trials'));
    const preparer = new TrialPreparer(this.artifacts, providers, scratch, models, new AgentLayers());
    return new TrialHandler(preparer, new TrialUploader(this.artifacts), pino({ level: 'debug' }, stream));
  }

  /** A grant of a task with this content. */
  async work(content: FolderContent, seed: TrialSeed = {}): Promise<WorkContext<'trial'>> {
    const folder = await writeTask(await mkdtemp(join(this.dir, 'task-')), content);
    const bundle = await this.artifacts.put('task_bundle', 'application/x-tar', await packTask(folder));
    const instanceId = InstanceId.parse(seed.instance ?? `instance-${(serial += 1)}`);
    const { version, integrity } = seed.frozen ?? { version: '1.0.0', integrity: null };
    const spec: TrialSpec = {
      kind: 'trial',
      instance: {
        id: instanceId,
        source: 'harbor',
        bundle,
        image: { kind: 'build', contextDigest: await contextDigest(join(folder, 'environment')) },
      },
      sandbox: seed.sandbox ?? 'process',
      agent: { name: seed.agent ?? 'oracle', version, integrity, options: {} },
      model: seed.model ?? 'model-1',
      limits: {
        wallSeconds: 60,
        turns: null,
        costUsd: null,
        calls: null,
        tokens: null,
        cpus: 1,
        memoryMb: 256,
        diskMb: 512,
        pids: 64,
        ...seed.limits,
      },
      history: seed.history ?? 'cut',
      publishesScore: seed.publishesScore ?? false,
    };
    return {
      key: { kind: 'trial', runId: RunId.parse('run-1'), instanceId, sample: 0 },
      epoch: 1,
      claimId: ClaimId.parse(randomUUID()),
      attempt: 1,
      attemptId: AttemptId.parse(randomUUID()),
      spec,
      deadline: new Date(Date.now() + 600_000),
      signal: seed.signal ?? new AbortController().signal,
      runBudget: seed.runBudget ?? { spent: new AbortController().signal, reached: () => null },
      traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`,
      phase: (phase) => {
        this.phases.push(phase);
        seed.onPhase?.(phase);
      },
      spending: (read) => {
        this.spending = read;
      },
      ensureFresh: () => Promise.resolve(),
    };
  }

  async close(): Promise<void> {
    await Promise.all(this.gateways.map((gateway) => gateway.stop()));
    await removeTree(this.dir);
    await removeTestImages(this.namespace);
  }
}

/** A task whose solution mends the one file of its repository. */
export const MENDABLE: FolderContent = {
  'instruction.md': 'Mend a.txt.\n',
  'environment/Dockerfile': 'ARG BASE_IMAGE=node:22-bookworm\nFROM ${BASE_IMAGE}\nWORKDIR /app\nCOPY app/ ./\n',
  'environment/app/a.txt': 'wrong\n',
  'solution/solve.sh': '#!/bin/bash\necho right > a.txt\n',
  'tests/test.sh': '#!/bin/bash\necho hidden-test-4711\n',
};
