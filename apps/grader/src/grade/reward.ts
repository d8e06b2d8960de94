import { TaskError } from '@assay/failures';

const FILES = ['reward.txt', 'reward.json'] as const;

/** What lies in the verifier's folder after the tests. */
export interface VerifierFolder {
  /** Names directly in it. */
  readonly names: readonly string[];
  /** Content of a regular file in it; null when it is none. */
  read(name: string): Promise<Buffer | null>;
}

/**
 * The reward that the tests wrote, read as Harbor does but strictly: exactly one of reward.txt (a number) and reward.json
 * (an object with one number, best called `reward`), finite and in [0, 1]; and test.sh itself must have ended with 0, since
 * a script that died may have left a reward of half a run.
 * @throws TaskError with a code for each way to be wrong
 */
export async function readReward(folder: VerifierFolder, exitCode: number | null): Promise<number> {
  if (exitCode !== 0)
    throw wrong('tests_exit_nonzero', `tests/test.sh ended with exit ${String(exitCode)}`, { exitCode });
  const there = FILES.filter((name) => folder.names.includes(name));
  const [name, second] = there;
  if (name === undefined)
    throw wrong('reward_missing', 'the tests left no reward.txt or reward.json', { names: folder.names });
  if (second !== undefined) throw wrong('reward_two_files', 'the tests left both reward.txt and reward.json', {});
  const content = await folder.read(name);
  if (content === null) throw wrong('reward_not_a_file', `${name} is no regular file`, {});
  const text = content.toString('utf8').trim();
  if (text === '') throw wrong('reward_empty', `${name} is empty`, {});
  const reward = name === 'reward.txt' ? numberOf(text) : numberIn(text);
  if (reward === null) throw wrong('reward_not_a_number', `${name} holds no number`, { text: text.slice(0, 200) });
  if (!(reward >= 0 && reward <= 1))
    throw wrong('reward_out_of_range', `the reward is ${reward}, not in [0, 1]`, { reward });
  return reward;
}

/** Decimal notation only: no NaN, Infinity or hexadecimal. */
function numberOf(text: string): number | null {
  return /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(text) ? Number(text) : null;
}

function numberIn(text: string): number | null {
  const parsed = parse(text);
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return null;
  const entries = Object.entries(parsed);
  const value: unknown = 'reward' in parsed ? parsed.reward : entries.length === 1 ? entries[0]?.[1] : null;
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function wrong(code: string, message: string, details: Record<string, unknown>): TaskError {
  return new TaskError(message, { code, phase: 'grade', details });
}
