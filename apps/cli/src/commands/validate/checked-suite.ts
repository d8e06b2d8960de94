import type { InstanceId } from '@assay/contracts';
import { chooseInstances, instanceList, loadSuite, openSource, type InstanceList, type Suite } from '@assay/suites';

/** Which of a suite's instances are asked for, as a submission asks. */
export interface Selection {
  readonly limit?: number | undefined;
  readonly instanceId?: InstanceId | undefined;
}

/** A suite that holds, with all of its source. */
export interface CheckedSuite {
  readonly suite: Suite;
  readonly instances: readonly InstanceId[];
  /** How many of them name an image without a digest. */
  readonly unpinned: number;
  readonly warnings: readonly string[];
  readonly list: InstanceList;
}

/**
 * Reads a suite whole: its file, then every task or row of its source, then the choice.
 * @param dataDir what `${ASSAY_DATA_DIR}` stands for; null: nothing
 * @throws TaskError with every problem at once
 */
export async function checkedSuite(file: string, dataDir: string | null, selection: Selection): Promise<CheckedSuite> {
  const suite = await loadSuite(file, dataDir);
  const source = await openSource(suite);
  try {
    const instances = chooseInstances(source.ids, selection, suite);
    let unpinned = 0;
    for (const id of instances) {
      const { image } = await source.pack(id);
      if (image.kind === 'reference' && image.digest === undefined) unpinned += 1;
    }
    return { suite, instances, unpinned, warnings: source.warnings, list: instanceList(suite, instances) };
  } finally {
    await source.close();
  }
}
