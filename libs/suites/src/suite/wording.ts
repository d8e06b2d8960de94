import type { Suite } from './load-suite';

/** What a message about counts and ids needs of a suite. */
export type WordedSuite = Pick<Suite, 'title' | 'dataset' | 'source'>;

/**
 * How refusals about a suite's instances are worded: as qwen-code's release pipeline words them (its dispatch script and its
 * writers of manifests for SWE-bench Verified and Terminal-Bench 2.0), so that its logs and runbooks stay true.
 */
export interface Wording {
  readonly unknown: (id: string) => string;
  readonly count: (expected: number, found: number) => string;
  readonly limit: (most: number) => string;
  readonly oneByOne: string;
}

export function wordingOf({ title, dataset, source }: WordedSuite): Wording {
  const data = dataset.title ?? title;
  if (source.kind === 'terminal-bench') {
    return {
      unknown: (id) => `Unknown ${data} task: ${id}`,
      count: (expected, found) => `expected ${expected} ${data} tasks, found ${found}`,
      limit: (most) => (most === 1 ? 'TERMINAL_BENCH_LIMIT must be 1' : `TERMINAL_BENCH_LIMIT must be 1 or ${most}`),
      oneByOne: 'TERMINAL_BENCH_INSTANCE_ID requires TERMINAL_BENCH_LIMIT=1',
    };
  }
  return {
    unknown: (id) => `Unknown ${data} instance: ${id}`,
    count: (expected, found) => `Expected exactly ${expected} ${data} instances, found ${found}`,
    limit: (most) => `INSTANCE_LIMIT must be between 1 and ${most}`,
    oneByOne: '--instance-id requires --limit 1',
  };
}
