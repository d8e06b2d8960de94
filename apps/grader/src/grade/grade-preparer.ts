import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Inject, Injectable } from '@nestjs/common';
import type { ArtifactStore } from '@assay/artifacts';
import type { ArtifactRef } from '@assay/contracts';
import { InfraError } from '@assay/failures';
import type { WorkContext } from '@assay/messaging';
import {
  Scratch,
  type PreparedImage,
  type Sandbox,
  type SandboxLimits,
  type SandboxProvider,
  type SandboxProviders,
} from '@assay/sandbox';
import { GRADER_VERSIONS, readRow, unpackTask } from '@assay/suites';
import { HarborJudge } from '../harbor/harbor-judge';
import { SwebenchJudge } from '../swebench/swebench-judge';
import { ARTIFACTS, PROVIDERS } from '../tokens';
import { frozenImage } from './frozen-image';
import { GradeLog } from './grade-log';
import type { Judge } from './judge';

/** Beside the tests' own time a grade's sandbox lives this long: patching, reading the reward. */
const AROUND_SECONDS = 1_800;

/** A grade that is ready to be judged. */
export interface PreparedGrade {
  readonly judge: Judge;
  readonly sandbox: Sandbox;
  readonly image: PreparedImage;
  readonly patch: Buffer;
  readonly log: GradeLog;
  /** An empty folder of the host. */
  readonly dir: string;
  /** Removes everything of the grade from this host. */
  cleanUp(): Promise<void>;
}

interface ReadTask {
  readonly judge: Judge;
  /** Folder with the build context; null where the image is ready. */
  readonly contextDir: string | null;
}

/** Fetches patch and frozen task, and makes a fresh sandbox of the image that the trial ran in. */
@Injectable()
export class GradePreparer {
  constructor(
    @Inject(ARTIFACTS) private readonly artifacts: ArtifactStore,
    @Inject(PROVIDERS) private readonly providers: SandboxProviders,
    private readonly scratch: Scratch,
  ) {}

  async prepare(work: WorkContext<'grade'>, patchRef: ArtifactRef): Promise<PreparedGrade> {
    requireVersion(work);
    const provider = this.providerOf(work);
    await provider.check();
    await provider.fits(limitsOf(work));
    const dir = await this.scratch.make();
    let sandbox: Sandbox | null = null;
    let log: GradeLog | null = null;
    const cleanUp = async (): Promise<void> => {
      log?.close();
      await sandbox?.destroy();
      await rm(dir, { recursive: true, force: true, maxRetries: 3 });
    };
    try {
      const patch = await this.artifacts.get(patchRef);
      const { judge, contextDir } = await this.read(work, dir);
      const image = await frozenImage(provider, work, contextDir);
      work.signal.throwIfAborted();
      sandbox = await this.sandboxOf(work, provider, image);
      log = new GradeLog(join(dir, 'grade.log'));
      await mkdir(join(dir, 'judge'));
      return { judge, sandbox, image, patch, log, dir: join(dir, 'judge'), cleanUp };
    } catch (error) {
      await cleanUp();
      throw error;
    }
  }

  private sandboxOf(work: WorkContext<'grade'>, provider: SandboxProvider, image: PreparedImage): Promise<Sandbox> {
    const { key, epoch, spec } = work;
    const { grader } = spec;
    return provider.create({
      key,
      epoch,
      role: 'grade',
      image,
      limits: limitsOf(work),
      network: grader.network,
      mounts: [],
      user: grader.user,
      lifetimeSeconds: grader.timeoutSeconds + AROUND_SECONDS,
    });
  }

  private providerOf({ spec }: WorkContext<'grade'>): SandboxProvider {
    const provider = this.providers.get(spec.sandbox);
    if (provider !== undefined) return provider;
    throw new InfraError(`this grader offers no ${spec.sandbox} sandbox (ASSAY_SANDBOXES)`, {
      code: 'sandbox_not_offered',
      phase: 'prepare',
    });
  }

  private async read({ spec }: WorkContext<'grade'>, dir: string): Promise<ReadTask> {
    const { instance } = spec;
    const bundle = join(dir, 'bundle');
    await this.artifacts.fetchTo(instance.bundle, bundle);
    if (instance.source === 'swebench') {
      return { judge: new SwebenchJudge(readRow(await readFile(bundle)), spec), contextDir: null };
    }
    const unpacked = await unpackTask({ file: bundle }, join(dir, 'task', instance.id));
    const { kind } = unpacked.task.environment.image;
    return {
      judge: new HarborJudge(unpacked, spec),
      contextDir: kind === 'build' ? unpacked.environmentDir : null,
    };
  }
}

/** CPUs and memory are the grader's own; the rest is as in the trial. */
function limitsOf({ spec: { grader, limits } }: WorkContext<'grade'>): SandboxLimits {
  return { cpus: grader.cpus, memoryMb: grader.memoryMb, diskMb: limits.diskMb, pids: limits.pids };
}

/** The rules of a verdict are frozen in the manifest: a grader that has others may not judge. */
function requireVersion({ spec }: WorkContext<'grade'>): void {
  const own = GRADER_VERSIONS[spec.instance.source];
  if (spec.grader.version === own) return;
  throw new InfraError(`the run was frozen with grader ${spec.grader.version}, this one is ${own}`, {
    code: 'grader_version_differs',
    phase: 'prepare',
    details: { frozen: spec.grader.version, own },
  });
}
