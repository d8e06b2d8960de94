import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { PROJECT_ROOT } from '@assay/testing';
import type { GradeLogInput, LogGrade } from '../grade-log';
import { graderVersion, type GradingRules } from '../rules';

/** A run report over a folder that holds `logs/run_evaluation` as the harness leaves it. */
export interface RunReportQuestion {
  readonly folder: string;
  readonly run_id: string;
  readonly dataset: readonly string[];
  readonly predictions: Readonly<Record<string, object>>;
}

/** One question to the official package. */
export type Question = { readonly parser: string; readonly log: string } | GradeLogInput;

/** Its answer; `error` where it raises. */
export type Answer =
  | { readonly map: [string, string][] }
  | (Pick<LogGrade, 'found' | 'resolution' | 'report'> & { readonly status_map: [string, string][] })
  | { readonly error: string };

const release = (rules: GradingRules): string => rules.replace('swebench-', '');
const folder = (rules: GradingRules): string => join(PROJECT_ROOT, `.assay/official-harness-${release(rules)}`);
/** `-B`: no compiled files beside the sources. */
const ORACLE = ['-B', join(__dirname, 'oracle.py')];
const pythonOf = (rules: GradingRules): string => join(folder(rules), 'bin/python');

/**
 * Null when the official package is at hand, else what is missing. Installs it into a folder of its own if need be, by
 * pip and without its dependencies (a second); it blocks, so that a test file can ask before it describes its tests.
 */
export function missingOfficial(rules: GradingRules = graderVersion): string | null {
  if (works(rules)) return null;
  const wanted = `swebench==${release(rules)}`;
  const made = spawnSync('python3', ['-m', 'venv', '--clear', folder(rules)], { encoding: 'utf8' });
  if (made.status !== 0) return `python3 with venv (${made.error?.message ?? made.stderr})`;
  const pip = ['-m', 'pip', '--disable-pip-version-check', 'install', '--quiet', '--no-deps', wanted];
  const installed = spawnSync(pythonOf(rules), pip, { encoding: 'utf8' });
  if (installed.status !== 0) return `${wanted} from Python's registry (${installed.stderr.trim().slice(-300)})`;
  return works(rules) ? null : `a Python that ${wanted} runs on`;
}

function works(rules: GradingRules): boolean {
  const python = pythonOf(rules);
  return existsSync(python) && spawnSync(python, ORACLE, { input: '' }).status === 0;
}

/** The official answers, in the order of the questions. */
export function officialAnswers(
  questions: readonly Question[],
  rules: GradingRules = graderVersion,
): Promise<Answer[]> {
  return ask<Answer>(questions, rules);
}

/** Name and text of the official run report. */
export async function officialRunReport(question: RunReportQuestion): Promise<{ file: string; text: string }> {
  const [answer] = await ask<{ file: string; text: string }>([question], graderVersion);
  if (answer === undefined) throw new Error('the official package gave no answer');
  return answer;
}

async function ask<A>(questions: readonly object[], rules: GradingRules): Promise<A[]> {
  const python = spawn(pythonOf(rules), ORACLE, { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(python, 'close');
  const answers: A[] = [];
  const reading = (async () => {
    for await (const line of createInterface({ input: python.stdout })) answers.push(JSON.parse(line) as A);
  })();
  for (const question of questions) {
    if (!python.stdin.write(`${JSON.stringify(question)}\n`)) await once(python.stdin, 'drain');
  }
  python.stdin.end();
  await reading;
  await ended;
  return answers;
}
