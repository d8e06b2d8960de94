import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { agentNamed, resolveAgent, whyAgentNotHere } from '@assay/agents';
import { TrialOutcome } from '@assay/contracts';
import { readExchanges, type RecordedEvent } from '@assay/model-gateway';
import { describeNeeding } from '@assay/testing';
import { startModelStandin, type ModelStandin } from '../../../../tools/model-standin/server.mjs';
import { MENDABLE, TrialBench, type TrialSeed } from '../harness/trial-bench';

// The real programs as trials, each in the words of its own protocol, with the gateway between it and the stand-in: what passes
// there must be whole, counted to the token, and the key in none of it. Ordinarily those two of which most is the gateway's
// own; `npm run conformance` runs all, ASSAY_CONFORMANCE may name them.

jest.setTimeout(600_000);

const KEY = 'sk-canary-2f6e';
const KNOWN = ['qwen-code', 'claude-code', 'codex', 'gemini-cli', 'opencode', 'mini-swe-agent'];
const WANTED = process.env['ASSAY_CONFORMANCE'] ?? '';
const AGENTS = WANTED === 'all' ? KNOWN : WANTED === '' ? ['codex', 'gemini-cli'] : WANTED.split(',');
const PROTOCOLS: Readonly<Record<string, string>> = {
  'claude-code': 'messages',
  codex: 'responses',
  'gemini-cli': 'gemini',
};
const usage = { prompt_tokens: 1_013, completion_tokens: 57, prompt_tokens_details: { cached_tokens: 11 } };
const TRANSCRIPTS = [
  {
    task: 'solve',
    turns: [
      { status: 503 },
      { content: 'I look.', actions: [{ read: 'a.txt' }, { run: 'ls' }] },
      { content: 'I mend.', actions: [{ write: { path: 'a.txt', content: 'mended\n' } }] },
      { content: 'Done.', actions: [] },
    ],
    usage,
  },
  { task: 'loop', turns: [{ content: 'Again.', actions: [{ run: 'true' }] }], repeatLast: true, usage },
];

describe.each(AGENTS)('%s through the gateway', (agent) => {
  describeNeeding(whyAgentNotHere(agent), 'as a trial', () => {
    let bench: TrialBench;
    let standin: ModelStandin;
    beforeAll(async () => {
      bench = await TrialBench.open();
      const transcriptsDir = await mkdtemp(join(bench.dir, 'transcripts-'));
      await Promise.all(
        TRANSCRIPTS.map((one) => writeFile(join(transcriptsDir, `${one.task}.json`), JSON.stringify(one))),
      );
      standin = await startModelStandin({ transcriptsDir, apiKey: KEY });
    });
    afterAll(async () => {
      await standin.stop();
      await bench.close();
    });

    async function run(task: string, limits: TrialSeed['limits'] = {}) {
      const frozen = await resolveAgent(agent, undefined, AbortSignal.timeout(240_000));
      const of = { agent, frozen, instance: task, model: `model-of-${agent}` };
      const work = await bench.work(MENDABLE, {
        ...of,
        limits: { wallSeconds: 120, memoryMb: 1024, pids: 256, ...limits },
      });
      const before = standin.requests.length;
      const handler = bench.handler(bench.providers(['process']), await bench.models(`${standin.url}/v1`, KEY));
      const result = await handler.handle(work);
      const asked = standin.requests.slice(before).filter(({ model }) => model === of.model);
      return { outcome: TrialOutcome.parse(result.outcome), artifacts: result.artifacts, asked };
    }

    async function exchanges(artifacts: Awaited<ReturnType<typeof run>>['artifacts']): Promise<RecordedEvent[]> {
      const ref = artifacts.find(({ name }) => name === 'model_exchanges');
      if (ref === undefined) throw new Error('nothing was recorded');
      const file = join(bench.dir, `exchanges-${ref.digest}`);
      await writeFile(file, await bench.artifacts.get(ref));
      const events: RecordedEvent[] = [];
      for await (const event of readExchanges(file)) events.push(event);
      return events;
    }

    test('it solves a task, what the stand-in told is counted to the token, and the key is in nothing that is kept', async () => {
      const { outcome, artifacts, asked } = await run('solve');
      const told = asked.flatMap((one) => one.usage ?? []);
      expect(told.length).toBeGreaterThanOrEqual(3);
      expect(outcome).toMatchObject({
        kind: 'completed',
        limit: null,
        usage: {
          promptTokens: sum(told.map((one) => one.prompt_tokens)),
          completionTokens: sum(told.map((one) => one.completion_tokens)),
          cachedTokens: sum(told.map((one) => one.prompt_tokens_details?.cached_tokens ?? 0)),
          estimated: false,
        },
        model: { usesModel: true, completedExchanges: told.length, lastFailedUpstream: false },
      });
      for (const ref of artifacts) {
        const bytes = await bench.artifacts.get(ref);
        if (ref.name === 'patch') expect(bytes.toString()).toContain('-wrong\n+mended\n');
        expect(bytes.toString('latin1')).not.toContain(KEY);
      }
      const seen = (await exchanges(artifacts)).flatMap((event) => (event.kind === 'exchange' ? [event.request] : []));
      expect(new Set(seen.map(({ protocol }) => protocol))).toEqual(new Set([PROTOCOLS[agent] ?? 'chat']));
      expect(seen.every(({ headers }) => !JSON.stringify(headers).includes('assay-'))).toBe(true);
    });

    test('a bound of its calls ends it at once, and what it left is graded and marked', async () => {
      const { outcome, asked } = await run('loop', { calls: 2 });
      expect(outcome).toMatchObject({ kind: 'completed', limit: 'calls', usage: { calls: 2 } });
      expect(asked).toHaveLength(2);
    });

    if (agentNamed(agent).turnsByCalls === true) {
      test('a bound of its turns is held by its calls', async () => {
        const { outcome, asked } = await run('loop', { turns: 2 });
        expect(outcome).toMatchObject({ kind: 'completed', limit: 'turns', usage: { calls: 2 } });
        expect(asked).toHaveLength(2);
      });
    }
  });
});

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}
