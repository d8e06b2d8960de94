import { existsSync } from 'node:fs';
import { readdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { InstanceId } from '@assay/contracts';
import { TaskError } from '@assay/failures';
import type { Command } from 'commander';
import { numberWithin, rangeText, type NumberRange } from '../../number-option';
import { ExitError, say, UsageError } from '../../output';
import { projectRoot } from '../../project-root';
import { checkedSuite, type CheckedSuite, type Selection } from './checked-suite';
import { problemText } from './problem-text';

interface ValidateOptions {
  readonly data?: string;
  readonly limit?: string;
  readonly instanceId?: string;
  readonly manifest?: string;
  readonly json?: boolean;
}

const LIMIT: NumberRange = { low: 0, high: 100_000, whole: true };

/** `assay validate [SUITE…]`: reads suites whole, with all of their tasks or rows, and tells every problem. */
export function validateCommand(program: Command): void {
  program
    .command('validate [suites...]')
    .description('read suites whole, with every task or row of theirs, and tell every problem; without names: all')
    .option('--data <dir>', 'what ${ASSAY_DATA_DIR} stands for in their paths (default: that variable)')
    .option('--limit <k>', 'the first k instances, as a submission asks for them')
    .option('--instance-id <id>', 'this instance alone, as a submission asks for it')
    .option('--manifest <file>', 'write the list of the chosen instances as JSON (one suite)')
    .option('--json', 'print what was found as JSON')
    .action(async (names: readonly string[], options: ValidateOptions) => {
      await validate(names, options);
    });
}

/** @throws UsageError for wrong options; ExitError 2 with every problem of every suite */
async function validate(names: readonly string[], options: ValidateOptions): Promise<void> {
  const { manifest, json = false } = options;
  const selection = selectionOf(options);
  const files = await suiteFiles(names);
  if (manifest !== undefined && files.length !== 1) throw new UsageError('--manifest: expected one suite');
  const dataDir = options.data ?? process.env['ASSAY_DATA_DIR'] ?? null;
  const checked: CheckedSuite[] = [];
  const problems: string[] = [];
  for (const file of files) {
    try {
      const found = await checkedSuite(file, dataDir, selection);
      checked.push(found);
      if (!json) say(textOf(found));
    } catch (error) {
      if (!(error instanceof TaskError)) throw error;
      problems.push(problemText(error));
    }
  }
  if (json) say(JSON.stringify(checked.map(viewOf), null, 2));
  if (problems.length > 0) throw new ExitError(2, problems.join('\n'));
  const [only] = checked;
  if (manifest !== undefined && only !== undefined)
    await writeFile(manifest, `${JSON.stringify(only.list, null, 2)}\n`);
}

function selectionOf({ limit, instanceId }: ValidateOptions): Selection {
  const count = limit === undefined ? undefined : numberWithin(limit, LIMIT);
  if (limit !== undefined && count === undefined) {
    throw new UsageError(`--limit: ${rangeText(LIMIT)}, got ${JSON.stringify(limit)}`);
  }
  const id = instanceId === undefined ? undefined : InstanceId.safeParse(instanceId);
  if (id?.success === false) {
    throw new UsageError(`--instance-id: expected an instance id, got ${JSON.stringify(instanceId)}`);
  }
  return { limit: count ?? undefined, instanceId: id?.data };
}

async function suiteFiles(names: readonly string[]): Promise<string[]> {
  const folder = join(projectRoot(), 'suites');
  const all = (await readdir(folder)).filter((file) => file.endsWith('.yaml')).sort();
  if (names.length === 0) return all.map((file) => join(folder, file));
  return names.map((name) => {
    const file = /[/\\]|\.yaml$/.test(name) ? resolve(name) : join(folder, `${name}.yaml`);
    if (existsSync(file)) return file;
    const known = all.map((each) => each.replace(/\.yaml$/, '')).join(', ');
    throw new UsageError(`expected the file of a suite or one of: ${known}; there is no ${file}`);
  });
}

function textOf({ suite, instances, unpinned, warnings }: CheckedSuite): string {
  const images = unpinned === 0 ? 'all images have a digest' : `${unpinned} images are named without a digest`;
  const head = `${suite.name}: valid, ${instances.length} instances, ${images}; ${suite.kind}, publishes ${suite.publish}`;
  return [head, ...warnings.map((warning) => `  ${warning}`)].join('\n');
}

function viewOf({ suite, instances, unpinned, warnings, list }: CheckedSuite): Record<string, unknown> {
  const { name, kind, publish, file, digest } = suite;
  return { name, kind, publish, file, digest, instances: instances.length, unpinned, warnings, manifest: list };
}
