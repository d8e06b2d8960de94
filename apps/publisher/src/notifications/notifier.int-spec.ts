import { Writable } from 'node:stream';
import type { NotificationOutcome, NotificationsNextReply, NotificationTarget } from '@assay/contracts';
import { TargetName, WorkerId } from '@assay/contracts';
import { InfraError } from '@assay/failures';
import { IssueClient, tokenCredential, WritePace } from '@assay/github';
import type { RpcClient } from '@assay/messaging';
import { createLogger } from '@assay/telemetry';
import { eventually } from '@assay/testing';
import { type GithubStandin, startGithubStandin } from '../../../../tools/github-standin/server.mjs';
import { ISSUE_TEMPLATE, issueSender } from './issue-sender';
import { Notifier } from './notifier';
import { aSample } from './sample';
import { never, notNow, type Send, type Target } from './target';
import { templateOf } from './template';

type Call = RpcClient['call'];

/** The coordinator's two answers, from a list. What is fake: the way there, which libs/messaging tests. */
class Coordinator {
  asked: NotificationTarget[][] = [];
  settled: { id: string; outcome: NotificationOutcome }[] = [];
  away = false;
  rounds: NotificationsNextReply['due'][] = [];

  readonly call = ((name: string, request: never): Promise<unknown> => {
    if (this.away) return Promise.reject(new InfraError('away', { code: 'rpc_timeout', phase: 'lease' }));
    if (name === 'notifications.next') {
      this.asked.push((request as { targets: NotificationTarget[] }).targets);
      return Promise.resolve({ leaseMs: 1_000, due: this.rounds.shift() ?? [] });
    }
    this.settled.push(request);
    return Promise.resolve({ answer: 'recorded', state: 'SENT' });
  }) as Call;
}

const due = (target: string, tryNumber = 1): NotificationsNextReply['due'][number] => ({
  target: TargetName.parse(target),
  tryNumber,
  notification: aSample('run.ended', 'full'),
});

let coordinator: Coordinator;
let logged: string[];
let notifier: Notifier | null = null;
beforeEach(() => {
  coordinator = new Coordinator();
  logged = [];
});
afterEach(() => notifier?.beforeApplicationShutdown());

function start(sends: Record<string, Send>): void {
  const targets: Target[] = Object.entries(sends).map(([name, send]) => ({
    name: TargetName.parse(name),
    events: ['run.ended'],
    send,
  }));
  const log = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      logged.push(chunk.toString());
      done();
    },
  });
  const logger = createLogger('publisher', 'info', log);
  notifier = new Notifier({ rpc: coordinator, worker: WorkerId.parse('w'), targets, idleMs: 10, logger });
  notifier.onApplicationBootstrap();
}

test('a publisher without targets asks all the same, so that nothing piles up', async () => {
  start({});
  await eventually(() => Promise.resolve(coordinator.asked.length > 2));
  expect(coordinator.asked[0]).toEqual([]);
});

test('each target is told by its own way, and what came of it is said', async () => {
  coordinator.rounds = [[due('a'), due('b'), due('c')]];
  start({
    a: () => Promise.resolve({ kind: 'sent' }),
    b: () => Promise.resolve(notNow('answered 503')),
    c: () => Promise.resolve(never('answered 410')),
  });
  await eventually(() => Promise.resolve(coordinator.settled.length === 3));
  expect(coordinator.settled.map(({ outcome }) => outcome.kind)).toEqual(['sent', 'failed', 'failed']);
  expect(logged.join('')).toContain('answered 410');
});

test('a coordinator that is away is told of once, and asked again', async () => {
  coordinator.away = true;
  coordinator.rounds = [[due('a')]];
  start({ a: () => Promise.resolve({ kind: 'sent' }) });
  await eventually(() => Promise.resolve(logged.length > 0));
  coordinator.away = false;
  await eventually(() => Promise.resolve(coordinator.settled.length === 1));
  expect(logged.filter((line) => line.includes('asking again'))).toHaveLength(1);
});

test('a stop waits for what is being told, and asks no more', async () => {
  let answer: (outcome: NotificationOutcome) => void = () => undefined;
  const told = new Promise<NotificationOutcome>((resolve) => {
    answer = resolve;
  });
  coordinator.rounds = [[due('a')]];
  start({ a: () => told });
  await eventually(() => Promise.resolve(coordinator.asked.length === 1));
  const stopped = notifier?.beforeApplicationShutdown();
  answer({ kind: 'sent' });
  await stopped;
  expect([coordinator.settled.length, coordinator.asked.length]).toEqual([1, 1]);
});

describe('an issue', () => {
  const ISSUE = { repository: 'acme/agent', issue: 12 };
  let github: GithubStandin;
  beforeEach(async () => {
    github = await startGithubStandin({ repositories: [ISSUE.repository], check: true });
    await fetch(`${github.url}/_standin/issues`, { method: 'POST', body: JSON.stringify(ISSUE) });
  });
  afterEach(() => github.stop());

  const send = (issue = ISSUE.issue): Send => {
    const options = {
      baseUrl: github.url,
      credential: tokenCredential(() => 'any'),
      pace: new WritePace(0),
      timeoutMs: 5_000,
    };
    const render = templateOf(ISSUE_TEMPLATE, 'markdown', ['run.ended']);
    return issueSender(new IssueClient(options), { ...ISSUE, issue }, render);
  };
  const comments = (): string[] =>
    (github.state().repositories['acme/agent']?.issues?.['12']?.comments ?? []).map(({ body }) => body);
  // GitHub's time of a comment has no milliseconds, so it may lie before the event.
  const NOTE = { ...aSample('run.ended', 'full'), at: new Date(Date.now() + 60_000).toISOString() };

  test('gets a comment that says what happened and where', async () => {
    expect(await send()(NOTE, 1)).toEqual({ kind: 'sent' });
    expect(comments()).toEqual([expect.stringContaining('run `example`: QUARANTINED, publication PENDING')]);
    expect(comments()[0]).toContain('<!-- assay notification example.1.run.ended.example -->');
    expect(github.problems).toEqual([]);
  });

  test('gets one comment, also where the answer to the first was lost', async () => {
    github.fault({ kind: 'lost', method: 'POST', path: '/comments$' });
    expect(await send()(NOTE, 1)).toMatchObject({ kind: 'failed', final: false });
    expect(await send()(NOTE, 2)).toEqual({ kind: 'sent' });
    expect(comments()).toHaveLength(1);
  });

  test('that is not there is a failure for good; a limit of GitHub is one for the time that it asks for', async () => {
    expect(await send(99)(NOTE, 1)).toMatchObject({ kind: 'failed', final: true });
    github.fault({ kind: 'answer', status: 429, headers: { 'retry-after': '33' }, method: 'POST' });
    expect(await send()(NOTE, 1)).toMatchObject({ kind: 'failed', final: false, retryAfterMs: 33_000 });
    expect(comments()).toEqual([]);
  });
});
