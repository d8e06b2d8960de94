import { existsSync, statSync } from 'node:fs';
import { readdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { InstanceId } from '@assay/contracts';
import { TaskError } from '@assay/failures';
import type { Command } from 'commander';
import { rangeText, type NumberRange } from '../../number-option';
import { answer, ExitError, say, UsageError } from '../../output';
import { requireFile, requireWritable, textIn } from '../../path-option';
import { projectRoot } from '../../project-root';
import { dataFolder } from '../../data-folder';
import { checkedPolicy, policyText } from './checked-policy';
import { checkedSuite, type CheckedSuite, type Selection } from './checked-suite';
import { problemText } from './problem-text';

interface ValidateOptions {
  readonly data?: string;
  readonly limit?: string;
  readonly instanceId?: string;
  readonly manifest?: string;
  readonly policy?: string;
  readonly suites?: string;
  readonly json?: boolean;
}

/** Options that say something of suites. */
const OF_SUITES = [
  ['data', '--data'],
  ['limit', '--limit'],
  ['instanceId', '--instance-id'],
  ['manifest', '--manifest'],
] as const;

const LIMIT: NumberRange = { low: 1, high: 100_000, whole: true };

/** `assay validate [SUITE…]`: reads suites whole, with all of their tasks or rows, and tells every problem. */
export function validateCommand(program: Command): void {
  program
    .command('validate [suites...]')
    .description('read suites whole, with every task or row of theirs, and tell every problem; without names: all')
    .option('--data <dir>', 'what ${ASSAY_DATA_DIR} stands for in their paths (default: that variable)')
    .option('--limit <k>', 'the first k instances, as a submission asks for them')
    .option('--instance-id <id>', 'this instance alone, as a submission asks for it')
    .option('--manifest <file>', 'write the list of the chosen instances as JSON (one suite)')
    .option('--policy <file>', 'read this release policy in place of suites; those that it names must be there')
    .option('--suites <dir>', "with --policy: where suites lie (default: this checkout's)")
    .option('--json', 'print what was found as JSON')
    .action(async (names: readonly string[], options: ValidateOptions) => {
      if (options.policy === undefined) await validate(names, options);
      else validatePolicy(options.policy, names, options);
    });
}

/** @throws UsageError for wrong options; ExitError 2 with every problem of the policy */
function validatePolicy(file: string, names: readonly string[], options: ValidateOptions): void {
  if (names.length > 0) throw new UsageError('SUITE: expected none beside --policy');
  for (const [name, flag] of OF_SUITES) {
    if (options[name] !== undefined) throw new UsageError(`${flag}: expected none beside --policy`);
  }
  try {
    const found = checkedPolicy(file, options.suites ?? join(projectRoot(), 'suites'));
    answer(options.json, found, () => policyText(found));
  } catch (error) {
    if (!(error instanceof TaskError)) throw error;
    throw new ExitError(2, problemText(error));
  }
}

/** @throws UsageError for wrong options; ExitError 2 with every problem of every suite */
async function validate(names: readonly string[], options: ValidateOptions): Promise<void> {
  const { manifest, json = false } = options;
  if (options.suites !== undefined) throw new UsageError('--suites: expected none without --policy');
  const selection = selectionOf(options);
  const files = await suiteFiles(names);
  if (manifest !== undefined && files.length !== 1) throw new UsageError('--manifest: expected one suite');
  if (manifest !== undefined) requireWritable('--manifest', manifest);
  const dataDir = dataFolder(options.data);
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
  if (limit !== undefined && !/^-?\d{1,6}$/.test(limit)) {
    throw new UsageError(`--limit: ${rangeText(LIMIT)}, got ${JSON.stringify(limit)}`);
  }
  const id = instanceId === undefined ? undefined : InstanceId.safeParse(instanceId);
  if (id?.success === false) {
    throw new UsageError(`--instance-id: expected an instance id, got ${JSON.stringify(instanceId)}`);
  }
  // A number that no suite takes is for the suite to refuse, in the words that its users know.
  return { limit: limit === undefined ? undefined : Number(limit), instanceId: id?.data };
}

async function suiteFiles(names: readonly string[]): Promise<string[]> {
  const folder = join(projectRoot(), 'suites');
  const all = (await readdir(folder)).filter((file) => file.endsWith('.yaml')).sort();
  if (names.length === 0) return all.map((file) => join(folder, file));
  return names.map((name) => {
    const file = /[/\\]|\.yaml$/.test(name) ? resolve(name) : join(folder, `${name}.yaml`);
    if (existsSync(file)) {
      requireSuite(file);
      return file;
    }
    const known = all.map((each) => each.replace(/\.yaml$/, '')).join(', ');
    throw new UsageError(`expected the file of a suite or one of: ${known}; there is no ${file}`);
  });
}

/** Text, unless it is a pipe, of which one look is all there is. */
function requireSuite(file: string): void {
  const about = { option: 'SUITE', wanted: 'the file of a suite' };
  if (statSync(file).isFile()) textIn(about, file);
  else requireFile(about, file);
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
