import { TaskError } from '@assay/failures';
import { datasetFile, loadSuite } from '@assay/suites';
import { mkdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { stringify } from 'yaml';
import { dataFolder } from '../data-folder';
import { UsageError } from '../output';
import { requireFolder, textIn } from '../path-option';
import { suiteOfFile } from '../suite-files';

/** Which tasks predictions are for: a suite by name or file, or a data set by its short name. */
export interface SuiteRequest {
  readonly suite: string | null;
  readonly subset: string | null;
  readonly split: string;
  /** Folder with the files of data sets. */
  readonly data: string;
}

/** A checked suite in a folder of suites. */
export interface ChosenSuite {
  readonly name: string;
  readonly suitesDir: string;
  /** Its tasks bring their own images. */
  readonly ownImages: boolean;
  readonly sandbox: 'docker' | 'process' | 'any';
}

/** How a data set is graded that no suite file describes: as the harness does it. */
const OFFICIAL = { network: 'outside', timeoutSeconds: 1800 };

/**
 * The suite on this machine. `scratch` takes the suite file that is written for a data set.
 * @throws UsageError in one message
 */
export async function chosenSuite(request: SuiteRequest, root: string, scratch: string): Promise<ChosenSuite> {
  try {
    const file =
      request.subset === null ? suiteFile(request.suite, root) : await datasetSuite(request.subset, request, scratch);
    const suite = await loadSuite(file, dataFolder());
    const name = suiteOfFile(basename(file));
    if (name === null) throw new UsageError(`--suite: expected a file called <name>.yaml, got ${file}`);
    if (suite.name !== name) {
      throw new UsageError(
        `${file}: name: expected ${JSON.stringify(name)} (the file's own name), got ${JSON.stringify(suite.name)}`,
      );
    }
    return { name, suitesDir: dirname(file), ownImages: suite.source.kind === 'swebench', sandbox: suite.sandbox };
  } catch (error) {
    if (error instanceof TaskError) throw new UsageError(error.message);
    throw error;
  }
}

function suiteFile(suite: string | null, root: string): string {
  if (suite === null) throw new UsageError('expected --suite NAME|FILE, or --subset NAME: the tasks to grade for');
  const file = /[/\\]|\.yaml$/.test(suite) ? resolve(suite) : join(root, 'suites', `${suite}.yaml`);
  textIn({ option: '--suite', wanted: 'a suite name or file' }, file);
  return file;
}

/** Writes a suite file for a data set, in the harness's own manner. */
async function datasetSuite(subset: string, { split, data }: SuiteRequest, scratch: string): Promise<string> {
  requireFolder({ option: '--data', wanted: 'a folder of data sets' }, data);
  const { file, dataset } = await datasetFile(subset, split, resolve(data));
  const name = `swebench-${subset}-${split}`;
  const suite = {
    schema: 'assay.suite/1',
    name,
    title: `${dataset} (${split})`,
    dataset: { name: dataset, revision: basename(file) },
    source: { kind: 'swebench', file },
    publish: 'none',
    errorThreshold: 1_000_000,
    sandbox: 'docker',
    // The images that are here are graded in; nothing is published.
    unpinned: 'allow',
    agent: { name: 'nop' },
    grader: OFFICIAL,
  };
  const dir = join(scratch, 'suites');
  await mkdir(dir, { recursive: true });
  await writeFile(join(dir, `${name}.yaml`), stringify(suite));
  return join(dir, `${name}.yaml`);
}
