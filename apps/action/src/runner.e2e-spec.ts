import { runStep } from '@assay/testing';
import { json, receiptOf, refusal } from './testdata/dispatcher-double';
import { stepWorld } from './testdata/step-world';

const world = stepWorld();
const { step } = world;

describe('what is said to the runner', () => {
  test('holds no token, whatever the dispatcher repeats of it, and the runner is told to hide it', async () => {
    world.dispatcher.next.push((response, request) => {
      refusal(503, `bad header ${String(request.headers.authorization)}`)(response, request);
    });
    world.dispatcher.next.push((response, request) => {
      refusal(403, `bad header ${String(request.headers.authorization)}`)(response, request);
    });
    const { log, masks, summary } = await runStep(step());
    const tokens = [world.issuer.requestToken, ...world.dispatcher.received.map(({ token }) => token)];
    expect(tokens).toHaveLength(3);
    for (const token of tokens) {
      expect(log + summary).not.toContain(token);
      expect(masks).toContain(token);
    }
    expect(log).toContain('Bearer ***');
  });

  test('is no command of anybody else: not in an error, not in a notice, not in the log', async () => {
    const attack = 'x\n::set-env name=PATH::/evil\r\n::stop-commands::t\n##[error]%0A::warning::';
    world.dispatcher.next.push(refusal(503, attack), refusal(400, attack));
    const refused = await runStep(step());
    world.dispatcher.skip = { rule: null, reason: attack };
    const skipped = await runStep(step());
    for (const { log } of [refused, skipped]) {
      const commands = log.split(/[\r\n]+/).filter((line) => /^\s*(::|##\[)/.test(line));
      expect(commands).toHaveLength(1);
      expect(commands[0]).toMatch(/^::(error|notice)::/);
    }
    expect(refused.log).toContain('%0A::set-env name=PATH::/evil%0D%0A::stop-commands::t%0A##[error]%250A::warning::');
  });

  test('is one output each, whatever a value holds', async () => {
    world.dispatcher.next.push((response) => {
      const request = { schemaVersion: 'assay.release-request/1', event: 'release', repository: 'a/b' } as const;
      const receipt = receiptOf({ ...request, releaseTag: 'v1.2.0' }, { runId: 'r', deduplicated: false });
      json(response, 202, { ...receipt, runUrl: 'https://assay.example/\nstatus<<x\nEVIL\nx\n' });
    });
    const { outputs } = await runStep(step());
    expect(outputs).toMatchObject({ 'run-url': 'https://assay.example/status%3C%3CxEVILx', status: 'WAITING' });
  });

  test('has no markup of anybody else in the summary', async () => {
    world.dispatcher.skip = { rule: null, reason: '<img src=x> [a](javascript:b) | `c` **d**' };
    const { summary } = await runStep(step());
    expect(summary).not.toMatch(/<img|\[a\]|\| `|\*\*d/);
    expect(summary).toContain('&#60;img src=x&#62;');
  });
});
