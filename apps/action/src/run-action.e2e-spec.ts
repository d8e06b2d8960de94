import { DispatchRequest } from '@assay/contracts';
import { eventually, runStep, startStep } from '@assay/testing';
import { json, refusal } from './testdata/dispatcher-double';
import { FORM, stepWorld } from './testdata/step-world';

const world = stepWorld();
const { step, dispatched } = world;

describe('a published release', () => {
  test('is handed over with its tag alone, and the job ends with the receipt', async () => {
    const result = await runStep(step());
    expect(result).toMatchObject({ exitCode: 0, signal: null });
    expect(result.log).toBe(`Handed over: v1.2.0 is run run-1, WAITING. ${world.dispatcher.url}/v1/runs/run-1\n`);
    expect(result.outputs).toEqual({
      'run-id': 'run-1',
      'run-url': `${world.dispatcher.url}/v1/runs/run-1`,
      status: 'WAITING',
      deduplicated: 'false',
    });
    expect(world.dispatcher.received).toEqual([
      {
        path: 'POST /v1/releases',
        key: 'gh-9001-4711',
        contentType: 'application/json',
        token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/) as string,
        body: {
          schemaVersion: 'assay.release-request/1',
          event: 'release',
          repository: 'acme/agent',
          releaseTag: 'v1.2.0',
          githubRunUrl: 'https://github.com/acme/agent/actions/runs/4711',
        },
      },
    ]);
  });

  test('has a summary that tells what runs, and what after it', async () => {
    const { summary } = await runStep(step());
    expect(summary).toContain('### Assay: the release was handed over');
    expect(summary).toContain('| Release | <code>v1.2.0</code> |');
    expect(summary).toContain(`| Run | [<code>run-1</code>](<${world.dispatcher.url}/v1/runs/run-1>) |`);
    expect(summary).toContain('| State | WAITING |');
    expect(summary).toContain('| Suite | <code>verified</code>, 500 instances |');
    expect(summary).toContain('| Then | <code>terminal&#95;bench&#95;2</code> |');
  });

  test('takes no choices: they are told of and left out', async () => {
    const { exitCode, log } = await runStep(step({ inputs: { suite: 'other', limit: '3' } }));
    expect(exitCode).toBe(0);
    expect(log).toContain('::warning::suite, limit: of no account for a release');
    expect(world.dispatcher.received[0]?.body).not.toHaveProperty('suite');
  });

  test('that the policy does not take is a success with a notice', async () => {
    world.dispatcher.skip = { rule: null, reason: 'no rule of acme/agent takes the stable release "v1.2.1"' };
    const payload = { action: 'published', release: { tag_name: 'v1.2.1', draft: false } };
    const { exitCode, log, outputs, summary } = await runStep(step({ payload }));
    expect(exitCode).toBe(0);
    expect(log).toBe(
      '::notice::Skipping benchmark for v1.2.1: no rule of acme/agent takes the stable release "v1.2.1"\n',
    );
    expect(outputs).toEqual({ 'run-id': '', 'run-url': '', status: 'SKIPPED', deduplicated: 'false' });
    expect(summary).toContain('No benchmark for <code>v1.2.1</code>: <code>no rule of acme/agent takes');
  });

  test.each([
    ['edited', false, 'the release was edited'],
    ['deleted', false, 'the release was deleted'],
    ['published', true, 'the release is a draft'],
  ])('but for one that is %s (draft: %s) nobody is asked', async (action, draft, reason) => {
    const { exitCode, log, outputs } = await runStep(
      step({ payload: { action, release: { tag_name: 'v1.2.0', draft } } }),
    );
    expect({ exitCode, log }).toEqual({ exitCode: 0, log: `::notice::Skipping benchmark for v1.2.0: ${reason}\n` });
    expect(outputs['status']).toBe('SKIPPED');
    expect(world.dispatcher.received).toEqual([]);
  });
});

describe('a workflow_dispatch', () => {
  test('is handed over with what was chosen, and without what was left open', async () => {
    expect(await runStep(dispatched())).toMatchObject({ exitCode: 0 });
    expect(world.dispatcher.received[0]?.body).toEqual({
      schemaVersion: 'assay.release-request/1',
      event: 'workflow_dispatch',
      repository: 'acme/agent',
      releaseTag: 'v0.21.15',
      suite: 'swe_verified_smoke',
      limit: 1,
      instanceId: 'sympy__sympy-20590',
      chainLimit: 89,
      githubRunUrl: 'https://github.com/acme/agent/actions/runs/4711',
    });
  });

  test('with everything chosen is a request of the contract', async () => {
    await runStep(
      dispatched({ ...FORM, 'evaluated-ref': 'v0.21.14', 'chain-instance-id': 'regex-log', 'chain-limit': '1' }),
    );
    expect(DispatchRequest.parse(world.dispatcher.received[0]?.body)).toMatchObject({
      evaluatedRef: 'v0.21.14',
      chainLimit: 1,
      chainInstanceId: 'regex-log',
    });
  });

  test.each([
    ['release-tag', ' ', 'release-tag: expected the tag of a release, got nothing'],
    ['limit', 'all', 'limit: expected a whole number from 1, got "all"'],
    ['chain-limit', '0', 'chain-limit: expected a whole number from 1, got "0"'],
  ])('whose %s is %j is refused before anybody is asked', async (name, value, message) => {
    const { exitCode, log } = await runStep(dispatched({ ...FORM, [name]: value }));
    expect({ exitCode, log }).toEqual({ exitCode: 1, log: `::error::${message}\n` });
    expect(world.dispatcher.received).toEqual([]);
  });
});

test.each(['push', 'schedule', 'pull_request_target'])('the event %s is skipped', async (event) => {
  const { exitCode, log } = await runStep(step({ event, payload: {} }));
  const notice = `::notice::Skipping benchmark for non-release event: the event is ${event}\n`;
  expect({ exitCode, log }).toEqual({ exitCode: 0, log: notice });
  expect(world.dispatcher.received).toEqual([]);
});

describe('submitting again', () => {
  test('by a re-run of the same workflow run finds the same run', async () => {
    await runStep(step());
    const { outputs, summary } = await runStep(step({ env: { GITHUB_RUN_ATTEMPT: '2' } }));
    expect(outputs).toMatchObject({ 'run-id': 'run-1', status: 'RUNNING', deduplicated: 'true' });
    expect(summary).toContain('| State | RUNNING, submitted before |');
  });

  test('by another workflow run, or of another repository, starts another', async () => {
    await runStep(step());
    await runStep(step({ env: { GITHUB_RUN_ID: '4712' } }));
    await runStep(step({ env: { GITHUB_REPOSITORY_ID: '9002' } }));
    expect([...world.dispatcher.runs.keys()]).toEqual(['gh-9001-4711', 'gh-9001-4712', 'gh-9002-4711']);
  });

  test('after it was killed while it waited for the receipt finds the run that was started', async () => {
    world.dispatcher.next.push(() => undefined);
    const running = await startStep(step());
    await eventually(() => world.dispatcher.received.length === 1);
    running.kill();
    const killed = await running.done;
    expect(killed).toMatchObject({ signal: 'SIGKILL', outputs: {}, summary: '' });
    world.dispatcher.runs.set(world.dispatcher.received[0]?.key ?? '', 'run-of-the-killed');
    const { outputs } = await runStep(step({ env: { GITHUB_RUN_ATTEMPT: '2' } }));
    expect(outputs).toMatchObject({ 'run-id': 'run-of-the-killed', deduplicated: 'true' });
  });
});

describe('a receipt', () => {
  test('of a newer dispatcher may have more fields, and an address elsewhere', async () => {
    world.dispatcher.next.push((response) => {
      json(response, 202, {
        schemaVersion: 'assay.receipt/1',
        status: 'QUEUED',
        runId: 'r-1',
        runUrl: 'https://assay.example/runs/r-1',
        deduplicated: false,
        releaseTag: 'v1.2.0',
        evaluatedRef: 'v1.2.0',
        commit: 'a'.repeat(40),
        suite: 's',
        rule: 'r',
        expectedInstances: null,
        chain: [],
        more: {},
      });
    });
    const { outputs, summary } = await runStep(step());
    expect(outputs).toMatchObject({ 'run-url': 'https://assay.example/runs/r-1', status: 'QUEUED' });
    expect(summary).toContain(`| Evaluated | <code>v1.2.0</code> (<code>${'a'.repeat(40)}</code>) |`);
  });

  const valid = { schemaVersion: 'assay.receipt/1', status: 'QUEUED', runId: 'r', runUrl: '/r', deduplicated: false };
  test.each([
    ['text', '(body): expected an object, got "text"'],
    [{ ...valid, schemaVersion: 'assay.receipt/2' }, 'schemaVersion: expected assay.receipt/1, got "assay.receipt/2"'],
    [{ ...valid, runId: '../x' }, 'runId: expected a text like'],
    [{ ...valid, runUrl: 'javascript:alert(1)' }, 'runUrl: expected an address, got "javascript:alert(1)"'],
    [{ ...valid, status: 'done' }, 'status: expected a text like'],
    [{ ...valid, deduplicated: 'no' }, 'deduplicated: expected true or false, got "no"'],
    [{}, 'schemaVersion: expected a text like /^.+$/, got nothing'],
    [[], '(body): expected an object, got []'],
  ])('%j is none', async (body, message) => {
    world.dispatcher.next.push((response) => {
      json(response, 202, body);
    });
    const { exitCode, log, outputs } = await runStep(step());
    expect(exitCode).toBe(1);
    expect(log).toContain(message);
    expect(outputs).toEqual({});
  });

  test('that is no JSON is shown', async () => {
    world.dispatcher.next.push((response) => response.writeHead(200).end('<html>welcome</html>'));
    expect((await runStep(step())).log).toContain('no JSON: "<html>welcome</html>"');
  });
});

test('a refusal names every field, and is not tried again', async () => {
  const errors = [{ field: 'limit', value: 7, expected: 'expected 1 or 5 or 500' }];
  world.dispatcher.next.push(refusal(422, 'the request is refused', {}, errors));
  const { exitCode, log } = await runStep(dispatched());
  expect(exitCode).toBe(1);
  expect(log).toBe(
    '::error::the dispatcher answered 422: the request is refused; limit: expected 1 or 5 or 500, got 7\n',
  );
  expect(world.dispatcher.received).toHaveLength(1);
});
