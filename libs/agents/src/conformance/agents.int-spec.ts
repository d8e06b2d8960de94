import { describeNeeding } from '@assay/testing';
import { whyNotHere } from './availability';
import { CASES, type Case } from './cases';
import { ConformanceBench, type Outcome } from './conformance-bench';

// Real programs against the stand-in of a model. Ordinarily qwen-code meets every case and the others are held to solve and
// to stop; `npm run conformance` runs all of all.

jest.setTimeout(600_000);

const ALL = process.env['ASSAY_CONFORMANCE'] === 'all';
const AGENTS = ['qwen-code', 'claude-code', 'codex', 'gemini-cli', 'opencode', 'mini-swe-agent'];
const ALWAYS = ['solve', 'deadline'];

/** What an agent cannot do, and why that is no failure of ours. */
const CANNOT: Readonly<Record<string, string>> = {
  'codex loop': 'codex knows no limit of turns and does not tell where a reply ends: the gateway counts its calls',
};

let bench: ConformanceBench;
beforeAll(async () => {
  bench = await ConformanceBench.open();
});
afterAll(() => bench.close());

describe.each(AGENTS)('%s', (agent) => {
  const cases = CASES.filter(({ task }) => ALL || agent === 'qwen-code' || ALWAYS.includes(task));
  describeNeeding(whyNotHere(agent), 'against the stand-in of a model', () => {
    const able = cases.filter(({ task }) => CANNOT[`${agent} ${task}`] === undefined);
    const outcomes = new Map<string, Promise<Outcome>>();

    // All at the same time, as far as the machine goes: most of them wait.
    beforeAll(async () => {
      await bench.layer(agent);
      const start = (one: Case, seconds: number): Promise<Outcome> => {
        const { task, turns } = one;
        return bench.run({ agent, task, seconds, ...(turns === undefined ? {} : { turns }) });
      };
      for (const one of able) {
        // A busy machine may need most of the limit to start the program: what solving took says so.
        const outcome =
          one.task === 'deadline'
            ? (outcomes.get('solve') ?? Promise.reject(new Error('solve is the first case'))).then(({ seconds }) =>
                start(one, Math.max(one.seconds, 2 * Math.ceil(seconds))),
              )
            : start(one, one.seconds);
        outcome.catch(() => undefined); // its test tells
        outcomes.set(one.task, outcome);
      }
    });

    test.each(able.map((one) => [one.name, one] as const))('%s', async (_name, { task, holds }) => {
      const outcome = await outcomes.get(task);
      if (outcome === undefined) throw new Error(`${task} did not run`);
      await holds(outcome);
    });
  });

  for (const { task, name } of cases) {
    const reason = CANNOT[`${agent} ${task}`];
    if (reason !== undefined) describeNeeding(reason, name, () => undefined);
  }
});
