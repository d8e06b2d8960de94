import { join } from 'node:path';
import { Inject, Injectable } from '@nestjs/common';
import type { ArtifactStore } from '@assay/artifacts';
import type { NextImage } from '@assay/contracts';
import { removeTree, Scratch, type OpenTask } from '@assay/sandbox';
import { unpackTask } from '@assay/suites';
import { ARTIFACTS } from '../tokens';

/** Unpacks the tasks that come next, for the build contexts of their images. */
@Injectable()
export class NextTasks {
  constructor(
    @Inject(ARTIFACTS) private readonly artifacts: ArtifactStore,
    private readonly scratch: Scratch,
  ) {}

  /** @throws whatever store and unpacking throw; then nothing is left of the task */
  async open({ id, bundle, source }: NextImage): Promise<OpenTask> {
    const dir = await this.scratch.make();
    const close = (): Promise<void> => removeTree(dir);
    try {
      if (source === 'swebench') return { contextDir: null, close };
      const file = join(dir, 'bundle');
      await this.artifacts.fetchTo(bundle, file);
      const { environmentDir } = await unpackTask({ file }, join(dir, id));
      return { contextDir: environmentDir, close };
    } catch (error) {
      await close();
      throw error;
    }
  }
}
