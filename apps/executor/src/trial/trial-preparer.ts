import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Inject, Injectable } from '@nestjs/common';
import { agentNamed, WorkspaceRecorder, type AgentTask, type TrialAgent } from '@assay/agents';
import type { ArtifactStore } from '@assay/artifacts';
import { InfraError, TaskError } from '@assay/failures';
import type { WorkContext } from '@assay/messaging';
import {
  removeTree,
  type PreparedImage,
  type Sandbox,
  type SandboxProvider,
  type SandboxProviders,
} from '@assay/sandbox';
import { agentSeconds, readRow, unpackTask } from '@assay/suites';
import { ARTIFACTS, PROVIDERS } from '../tokens';
import { Scratch } from './scratch';

/** After the agent's deadline a sandbox lives this much longer, so that its workspace can be read. */
const AFTERLIFE_SECONDS = 900;

/** A trial that is ready to start. */
export interface PreparedTrial {
  readonly agent: TrialAgent;
  readonly task: AgentTask;
  readonly sandbox: Sandbox;
  readonly image: PreparedImage;
  readonly workspace: WorkspaceRecorder;
  /** Seconds that the agent has. */
  readonly seconds: number;
  /** Removes everything of the trial from this host; bounded. */
  cleanUp(): Promise<void>;
}

interface ReadTask {
  readonly task: AgentTask;
  readonly seconds: number;
  /** Folder with the build context; null where the image is ready. */
  readonly contextDir: string | null;
}

/** Fetches the frozen task, makes its image and a sandbox of it, and records the workspace. */
@Injectable()
export class TrialPreparer {
  constructor(
    @Inject(ARTIFACTS) private readonly artifacts: ArtifactStore,
    @Inject(PROVIDERS) private readonly providers: SandboxProviders,
    private readonly scratch: Scratch,
  ) {}

  async prepare(work: WorkContext<'trial'>): Promise<PreparedTrial> {
    const { spec, signal } = work;
    const agent = agentNamed(spec.agent.name);
    const provider = this.providerOf(work);
    await provider.check();
    const dir = await this.scratch.make();
    let sandbox: Sandbox | null = null;
    const cleanUp = async (): Promise<void> => {
      try {
        await sandbox?.destroy();
      } finally {
        await removeTree(dir);
      }
    };
    try {
      const { task, seconds, contextDir } = await this.read(work, dir);
      const image = await provider.prepareImage(spec.instance.image, contextDir, signal);
      signal.throwIfAborted();
      sandbox = await provider.create({
        key: work.key,
        epoch: work.epoch,
        role: 'trial',
        image,
        limits: spec.limits,
        network: 'none',
        mounts: [],
        user: null,
        lifetimeSeconds: seconds + AFTERLIFE_SECONDS,
      });
      const workspace = await WorkspaceRecorder.record(sandbox, join(dir, 'workspace'));
      return { agent, task, sandbox, image, workspace, seconds, cleanUp };
    } catch (error) {
      // What cannot be removed now is reaped later; why the trial cannot start is what counts.
      await cleanUp().catch(() => undefined);
      throw error;
    }
  }

  private providerOf({ spec }: WorkContext<'trial'>): SandboxProvider {
    if (spec.sandbox === 'process' && spec.publishesScore) {
      throw new TaskError('a suite that publishes a score does not run in the process sandbox', {
        code: 'sandbox_refused',
        phase: 'prepare',
      });
    }
    const provider = this.providers.get(spec.sandbox);
    if (provider !== undefined) return provider;
    throw new InfraError(`this executor offers no ${spec.sandbox} sandbox (ASSAY_SANDBOXES)`, {
      code: 'sandbox_not_offered',
      phase: 'prepare',
    });
  }

  private async read({ spec }: WorkContext<'trial'>, dir: string): Promise<ReadTask> {
    const { instance, limits } = spec;
    const bundle = join(dir, 'bundle');
    await this.artifacts.fetchTo(instance.bundle, bundle);
    if (instance.source === 'swebench') {
      const { visible, hidden } = readRow(await readFile(bundle));
      const task = { instanceId: instance.id, instruction: visible.problemStatement, solutionPatch: hidden.patch };
      return {
        task: { ...task, solutionDir: null, solutionEnv: {}, env: {} },
        seconds: limits.wallSeconds,
        contextDir: null,
      };
    }
    const unpacked = await unpackTask({ file: bundle }, join(dir, instance.id));
    const { task } = unpacked;
    return {
      task: {
        instanceId: instance.id,
        instruction: task.instruction,
        solutionDir: unpacked.solutionDir,
        solutionEnv: task.solution?.env ?? {},
        solutionPatch: null,
        env: task.environment.env,
      },
      seconds: agentSeconds(task, limits),
      contextDir: task.environment.image.kind === 'build' ? unpacked.environmentDir : null,
    };
  }
}
