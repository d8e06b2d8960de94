import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Inject, Injectable } from '@nestjs/common';
import {
  type AgentLayer,
  AgentLayers,
  agentNamed,
  type AgentTask,
  LAYER_DIR,
  type TrialAgent,
  WorkspaceRecorder,
} from '@assay/agents';
import type { ArtifactStore } from '@assay/artifacts';
import { InfraError, TaskError } from '@assay/failures';
import type { WorkContext } from '@assay/messaging';
import {
  removeTree,
  Scratch,
  type PreparedImage,
  type Sandbox,
  type SandboxProvider,
  type SandboxProviders,
} from '@assay/sandbox';
import { agentSeconds, readRow, unpackTask } from '@assay/suites';
import { type TrialModel, TrialModels } from '../model/trial-models';
import { ARTIFACTS, PROVIDERS } from '../tokens';

/** After the agent's deadline a sandbox lives this much longer, so that its workspace can be read. */
const AFTERLIFE_SECONDS = 900;

/** A trial that is ready to start. */
export interface PreparedTrial {
  readonly agent: TrialAgent;
  readonly task: AgentTask;
  readonly sandbox: Sandbox;
  readonly image: PreparedImage;
  readonly workspace: WorkspaceRecorder;
  readonly model: TrialModel;
  /** The agent's package; null for agents that are part of this build. */
  readonly layer: AgentLayer | null;
  /** Folder of this host that goes with the trial. */
  readonly dir: string;
  /** An empty folder in it, for files that the agent itself wrote about its work. */
  readonly ownLogsDir: string;
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
    private readonly models: TrialModels,
    private readonly layers: AgentLayers,
  ) {}

  async prepare(work: WorkContext<'trial'>): Promise<PreparedTrial> {
    const { spec, signal } = work;
    const agent = agentNamed(spec.agent.name);
    const provider = this.providerOf(work);
    await provider.check();
    await provider.fits(spec.limits);
    const dir = await this.scratch.make();
    let sandbox: Sandbox | null = null;
    let model: TrialModel | null = null;
    const cleanUp = async (): Promise<void> => {
      try {
        await model?.close();
      } finally {
        try {
          await sandbox?.destroy();
        } finally {
          await removeTree(dir);
        }
      }
    };
    try {
      const { task, seconds, contextDir } = await this.read(work, dir);
      const image = await provider.prepareImage(spec.instance.image, contextDir, signal);
      const layer = await this.layerOf(work, agent);
      signal.throwIfAborted();
      model = await this.models.open(agent, work, dir);
      sandbox = await provider.create({
        key: work.key,
        epoch: work.epoch,
        role: 'trial',
        image,
        limits: spec.limits,
        network: model.network === null ? 'none' : { gateway: model.network },
        mounts: layer === null ? [] : [{ hostDir: layer.hostDir, insideDir: LAYER_DIR }],
        user: null,
        lifetimeSeconds: seconds + AFTERLIFE_SECONDS,
      });
      const workspace = await WorkspaceRecorder.record(sandbox, join(dir, 'workspace'), spec.history);
      const ownLogsDir = join(dir, 'own-logs');
      await mkdir(ownLogsDir);
      return { agent, task, sandbox, image, workspace, model, layer, dir, ownLogsDir, seconds, cleanUp };
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

  private async layerOf({ spec, signal }: WorkContext<'trial'>, agent: TrialAgent): Promise<AgentLayer | null> {
    const { name, version, integrity } = spec.agent;
    if (agent.package === undefined || agent.package === null) return null;
    if (integrity !== null) return this.layers.ensure(agent.package, { name, version, integrity }, signal);
    throw new InfraError(`the manifest has no integrity of ${name} ${version}`, {
      code: 'agent_not_frozen',
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
