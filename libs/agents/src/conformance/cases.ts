import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Atif } from '../trajectory/atif.schema';
import { TOKEN, type Outcome } from './conformance-bench';

/** What an agent meets, and what must then be true of its report, whatever agent it is. */
export interface Case {
  readonly name: string;
  readonly task: string;
  /** Wall limit. One that ends by itself has room: it is not the machine that is measured. */
  readonly seconds: number;
  readonly turns?: number;
  readonly holds: (outcome: Outcome) => void | Promise<void>;
}

/** Cases that meet their wall limit meet it after so long. */
const WALL = 20;
const SHORT_WALL = 12;
const ROOM = 90;
/** What stopping and reading may take beyond the limit. */
const AFTERMATH = 10;

export const CASES: readonly Case[] = [
  { name: 'solves a task', task: 'solve', seconds: ROOM, holds: solved },
  {
    name: 'is stopped at its deadline, and what it did is kept',
    task: 'deadline',
    seconds: SHORT_WALL,
    holds: stopped,
  },
  { name: 'ends at its limit of turns', task: 'loop', seconds: ROOM, turns: 2, holds: turned },
  { name: 'goes on after faults that pass', task: 'bumpy', seconds: ROOM, holds: bumped },
  { name: 'meets 401', task: 'refused', seconds: WALL, holds: failedUpstream },
  { name: 'meets 429 for ever', task: 'throttled', seconds: WALL, holds: failedUpstream },
  { name: 'meets 500 for ever', task: 'broken', seconds: WALL, holds: failedUpstream },
  { name: 'meets a stream that is cut', task: 'cut', seconds: WALL, holds: failedUpstream },
  { name: 'meets a model that hangs', task: 'hang', seconds: WALL, holds: failedUpstream },
];

async function solved(outcome: Outcome): Promise<void> {
  const { report, requests, file, log } = outcome;
  expect(report).toMatchObject({ limit: null, crash: null, model: { usesModel: true, lastFailedUpstream: false } });
  expect(file).toBe('mended\n');
  // To the token: what was told is what was counted.
  const told = requests.flatMap(({ usage }) => usage ?? []);
  expect(report.usage).toMatchObject({
    promptTokens: sum(told.map((one) => one.prompt_tokens)),
    completionTokens: sum(told.map((one) => one.completion_tokens)),
    cachedTokens: sum(told.map((one) => one.prompt_tokens_details?.cached_tokens ?? 0)),
    estimated: false,
  });
  expect(report.model.completedExchanges).toBe(report.usage.calls);
  expect(report.usage.calls).toBe(requests.length);
  hasTrajectory(outcome);
  await keepsTheToken(outcome);
  expect(log).not.toBe('');
}

/** A valid document with the calls, what they were called with, what they gave, and the words of the replies. */
function hasTrajectory({ report, writer, requests }: Outcome): void {
  const document = writer.document({
    sessionId: 'attempt-1',
    agent: { name: 'agent', version: '1' },
    model: 'model-1',
    usage: report.usage,
    extra: {},
  });
  const { steps } = Atif.parse(document);
  expect(steps).toHaveLength(report.steps.length);
  const words = steps.map(({ message }) => (typeof message === 'string' ? message : ''));
  expect(words[0]).toContain(`Task: ${String(requests[0]?.task)}`);
  const calls = steps.flatMap(({ tool_calls: made }) => made ?? []);
  expect(calls.length).toBeGreaterThanOrEqual(3);
  expect(calls.map((call) => JSON.stringify(call.arguments)).join()).toMatch(/a\.txt/);
  const results = steps.flatMap(({ observation }) => observation?.results ?? []);
  expect(results.map(({ content }) => (typeof content === 'string' ? content : '')).join()).toMatch(/a\.txt/);
  expect(words.filter((word) => ['I look.', 'I mend.', 'Done.'].includes(word))).toHaveLength(3);
}

/** In nothing that is kept: log, steps, the agent's own files. */
async function keepsTheToken({ report, log, ownLogsDir }: Outcome): Promise<void> {
  expect(JSON.stringify(report) + log).not.toContain(TOKEN);
  for (const entry of await readdir(ownLogsDir, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    expect((await readFile(join(entry.parentPath, entry.name))).includes(TOKEN)).toBe(false);
  }
}

function stopped({ report, file, seconds, wall }: Outcome): void {
  expect(report).toMatchObject({ limit: 'time', crash: null });
  expect(report.model.lastFailedUpstream).toBe(false);
  expect(file).toBe('half\n');
  expect(seconds).toBeLessThan(wall + AFTERMATH);
}

function turned({ report, requests }: Outcome): void {
  expect(report).toMatchObject({ limit: 'turns', crash: null });
  expect(requests.length).toBeGreaterThanOrEqual(2);
  expect(requests.length).toBeLessThanOrEqual(4);
}

function bumped({ report, file, requests }: Outcome): void {
  expect(report).toMatchObject({ limit: null, crash: null, model: { lastFailedUpstream: false } });
  expect(file).toBe('mended\n');
  expect(requests.filter(({ answered }) => answered === 'fault').length).toBeGreaterThanOrEqual(2);
}

/** Never the agent's fault, and never taken for work: it was our model, or the time went by while it was asked again. */
function failedUpstream({ report, file, seconds, wall }: Outcome): void {
  expect(report.model.completedExchanges).toBe(0);
  if (report.crash === null) expect(report.limit).toBe('time');
  else {
    const { blame, code } = report.crash;
    expect([blame, code]).toEqual(['infra', expect.stringMatching(/^model_(refused|unavailable)$/)]);
  }
  expect(file).toBe('orig\n');
  expect(seconds).toBeLessThan(wall + AFTERMATH);
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}
