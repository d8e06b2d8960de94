import type { Principal } from '../principal';
import { RateLimits } from './rate-limits';

const limits = (over: Partial<ConstructorParameters<typeof RateLimits>[0]> = {}) =>
  new RateLimits({ perAddress: 1, perCaller: 1, failures: 1, ...over });
const passes = (call: Promise<void>): Promise<boolean> =>
  call.then(
    () => true,
    () => false,
  );

test('an address is counted for itself', async () => {
  const counted = limits();
  expect(await passes(counted.arrival('192.0.2.1'))).toBe(true);
  expect(await passes(counted.arrival('192.0.2.2'))).toBe(true);
  await expect(counted.arrival('192.0.2.1')).rejects.toMatchObject({
    reason: 'too_many_calls',
    message: expect.stringMatching(/^more than 1 calls a minute from this address: wait \d+ s$/) as string,
    headers: { 'retry-after': expect.stringMatching(/^\d+$/) as string },
  });
});

test.each([
  ['2001:db8:1:2::1', '2001:db8:1:2:ffff::9', false],
  ['2001:db8:1:2::1', '2001:db8:1:3::1', true],
  ['2001:db8::1', '2001:db8:0:0:5::', false],
  ['::1', '::2', false],
  ['::ffff:192.0.2.1', '192.0.2.1', false],
  ['::ffff:192.0.2.1', '::ffff:192.0.2.2', true],
])('%s and then %s: passes %s, because a host may take any address of its /64', async (first, second, passing) => {
  const counted = limits();
  await counted.arrival(first);
  expect(await passes(counted.arrival(second))).toBe(passing);
});

test('callers are counted for themselves: the deployment, each token, each repository', async () => {
  const counted = limits();
  const token = (tokenId: string): Principal => ({ kind: 'service', tokenId, name: 'n', scopes: [], repository: null });
  const job = (repositoryId: string, runId: string): Principal => ({
    ...{ kind: 'workflow', repository: 'a/b', repositoryId, ownerId: '1', eventName: 'release', ref: 'r', sha: 's' },
    ...{ runId, runAttempt: '1', workflowRef: 'w', actor: 'x' },
  });
  for (const caller of [{ kind: 'deployment' } as const, token('1'), token('2'), job('1', '1'), job('2', '1')]) {
    expect(await passes(counted.call(caller))).toBe(true);
    expect(await passes(counted.call(caller))).toBe(false);
  }
  expect(await passes(counted.call(job('1', '2')))).toBe(false);
});

test('refused tokens close the door to their address alone', async () => {
  const counted = limits({ perAddress: 100, failures: 2 });
  await counted.failure('192.0.2.1');
  expect(await passes(counted.arrival('192.0.2.1'))).toBe(true);
  await counted.failure('192.0.2.1');
  await expect(counted.arrival('192.0.2.1')).rejects.toMatchObject({ reason: 'too_many_failures' });
  expect(await passes(counted.arrival('192.0.2.2'))).toBe(true);
});
