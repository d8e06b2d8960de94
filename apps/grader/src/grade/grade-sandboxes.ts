import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Inject, Injectable } from '@nestjs/common';
import type { ArtifactStore } from '@assay/artifacts';
import { InfraError } from '@assay/failures';
import type { WorkContext } from '@assay/messaging';
import type { Sandbox, SandboxProviders } from '@assay/sandbox';
import { ARTIFACTS, PROVIDERS, WORK_DIR } from '../tokens';

/** After the tests' bound a sandbox lives this much longer, so that its reward can be read. */
const AFTERLIFE_SECONDS = 600;

export interface GradeSandbox {
  readonly sandbox: Sandbox;
  readonly imageId: string;
}

/** A folder of the host for one grade, and what was fetched into it. */
export interface GradeFolder {
  readonly dir: string;
  /** The task's bundle as a file. */
  readonly bundle: string;
  remove(): Promise<void>;
}

/** Fresh places for grades: never the trial's own. */
@Injectable()
export class GradeSandboxes {
  constructor(
    @Inject(ARTIFACTS) private readonly artifacts: ArtifactStore,
    @Inject(PROVIDERS) private readonly providers: SandboxProviders,
    @Inject(WORK_DIR) private readonly workDir: string,
  ) {}

  async folder({ spec }: WorkContext<'grade'>): Promise<GradeFolder> {
    const home = join(this.workDir, 'grades');
    await mkdir(home, { recursive: true });
    const dir = await mkdtemp(join(home, 'grade-'));
    const bundle = join(dir, 'bundle');
    await this.artifacts.fetchTo(spec.instance.bundle, bundle);
    return { dir, bundle, remove: () => rm(dir, { recursive: true, force: true, maxRetries: 3 }) };
  }

  /**
   * A sandbox of the image that the trial ran in.
   * @param seconds how long the tests may take
   * @throws InfraError `image_changed` when that image is gone and another would be used
   */
  async create(work: WorkContext<'grade'>, contextDir: string | null, seconds: number): Promise<GradeSandbox> {
    const { spec, key, epoch, signal } = work;
    const provider = this.providers.get(spec.sandbox);
    if (provider === undefined) {
      throw new InfraError(`this grader offers no ${spec.sandbox} sandbox (ASSAY_SANDBOXES)`, {
        code: 'sandbox_not_offered',
        phase: 'grade',
      });
    }
    await provider.check();
    const image = await provider.prepareImage(spec.instance.image, contextDir, signal);
    if (spec.imageId !== null && image.imageId !== spec.imageId) {
      throw new InfraError('the image is not the one that the trial ran in', {
        code: 'image_changed',
        phase: 'grade',
        details: { trial: spec.imageId, now: image.imageId },
      });
    }
    signal.throwIfAborted();
    const sandbox = await provider.create({
      key,
      epoch,
      role: 'grade',
      image,
      limits: { ...spec.limits, cpus: spec.grader.cpus, memoryMb: spec.grader.memoryMb },
      network: spec.grader.network,
      user: spec.grader.user,
      lifetimeSeconds: seconds + AFTERLIFE_SECONDS,
    });
    return { sandbox, imageId: image.imageId };
  }
}
