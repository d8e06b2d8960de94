import { describeNeeding } from '@assay/testing';
import { whyNotHere } from '../availability';
import { CASES, type Case } from './cases';
import { ConformanceBench, type Outcome } from './conformance-bench';

// Real programs against the stand-in of a model. Ordinarily qwen-code meets every case, and the others are held to solve and to
// stop. `npm run conformance` runs all of all; ASSAY_CONFORMANCE may name agents instead (`codex,opencode`).

jest.setTimeout(900_000);

const WANTED = process.env['ASSAY_CONFORMANCE'] ?? '';
const KNOWN = ['qwen-code', 'claude-code', 'codex', 'gemini-cli', 'opencode', 'mini-swe-agent'];
const AGENTS = ['', 'all'].includes(WANTED) ? KNOWN : WANTED.split(',');
const ALWAYS = ['solve', 'deadline'];

/** What an agent cannot do, and why that is no failure of ours. */
const CANNOT: Readonly<Record<string, string>> = {
  'codex loop': 'codex knows no limit of turns and does not tell where a reply ends: the gateway counts its calls',
};

const reasonOf = (agent: string, { task }: Case): string | null => CANNOT[`${agent} ${task}`] ?? null;
const casesOf = (agent: string): readonly Case[] =>
  CASES.filter(({ task }) => WANTED !== '' || agent === 'qwen-code' || ALWAYS.includes(task));
const missing = new Map(AGENTS.map((agent) => [agent, whyNotHere(agent)]));

/** A case that is left out: counted, and its reason printed. */
function skip(name: string, reason: string): void {
  process.stderr.write(`skipped "${name}": ${reason}\n`);
  test.skip(`${name} (skipped: ${reason})`, () => undefined);
}

let bench: ConformanceBench;
const outcomes = new Map<string, Promise<Outcome>>();

function start(agent: string, one: Case): Promise<Outcome> {
  const { task, turns } = one;
  const run = (seconds: number) => bench.run({ agent, task, seconds, ...(turns === undefined ? {} : { turns }) });
  const solving = outcomes.get(`${agent} solve`);
  if (task !== 'deadline' || solving === undefined) return run(one.seconds);
  // A busy machine may need most of the limit to start the program: what solving took says so.
  return solving.then(({ seconds }) => run(Math.max(one.seconds, 3 * Math.ceil(seconds))));
}

// All at the same time, as far as the machine goes: most of them wait.
beforeAll(async () => {
  bench = await ConformanceBench.open();
  for (const agent of AGENTS.filter((name) => missing.get(name) === null)) {
    await bench.layer(agent);
    for (const one of casesOf(agent)) {
      if (reasonOf(agent, one) !== null) continue;
      const outcome = start(agent, one);
      outcome.catch(() => undefined); // its test tells
      outcomes.set(`${agent} ${one.task}`, outcome);
    }
  }
});
afterAll(() => bench.close());

describe.each(AGENTS)('%s', (agent) => {
  describeNeeding(missing.get(agent) ?? null, 'against the stand-in of a model', () => {
    for (const one of casesOf(agent)) {
      const reason = reasonOf(agent, one);
      if (reason !== null) {
        skip(`${agent} ${one.name}`, reason);
        continue;
      }
      test(one.name, async () => {
        const outcome = await outcomes.get(`${agent} ${one.task}`);
        if (outcome === undefined) throw new Error(`${one.task} did not run`);
        await one.holds(outcome);
      });
    }
  });
});

describeNeeding(whyNotHere('qwen-code'), 'a version of qwen-code that knows no wall time', () => {
  const OLD = '0.15.10';

  const name = 'is driven by the flags that it has';
  if (WANTED === '') {
    skip(name, 'a package more to fetch: only under npm run conformance');
    return;
  }
  test(name, async () => {
    const { report, file, log } = await bench.run({ agent: 'qwen-code', version: OLD, task: 'solve', seconds: 90 });
    expect([report.crash, report.limit, file]).toEqual([null, null, 'mended\n']);
    expect(log).toContain(`"qwen_code_version":"${OLD}"`);
  });
});
