import { DispatchReply, DispatchRequest, RunOrigin } from './edge.schema';
import { problemLines, problemsOf } from './problems';

const body = {
  ...{ schemaVersion: 'assay.release-request/1', event: 'release', repository: 'acme/agent', releaseTag: 'v1.0.0' },
};
const linesOf = (input: unknown): string[] => {
  const parsed = DispatchRequest.safeParse(input);
  return parsed.success ? [] : problemLines(problemsOf(parsed.error, input));
};

test('the least and the most that a release is handed in with', () => {
  expect(DispatchRequest.parse(body)).toEqual(body);
  const all = {
    ...{ ...body, event: 'manual', evaluatedRef: 'v0.9.0', suite: 'demo', limit: 1, instanceId: 'a__b-1' },
    ...{ chainLimit: 89, chainInstanceId: 'regex-log', model: 'm', githubRunUrl: 'https://example.org/1' },
    ...{ releaseId: 7, commit: 'a'.repeat(40), maxAttempts: 8, backoffSeconds: 0 },
  };
  expect(DispatchRequest.parse(all)).toEqual(all);
});

test('an instance beside another limit is let through: the policy looks away from it', () => {
  expect(linesOf({ ...body, limit: 5, instanceId: 'a__b-1' })).toEqual([]);
});

test.each<[string, Record<string, unknown>, string]>([
  ['what GitHub alone may say', { prerelease: true }, 'prerelease: no such key, got true'],
  ['another version', { schemaVersion: 'assay.release-request/2' }, 'schemaVersion'],
  ['another event', { event: 'push' }, 'event'],
  ['a path for a repository', { repository: 'acme/..' }, 'repository: expected owner/name, got "acme/.."'],
  ['a tag that climbs', { releaseTag: 'v1/../2' }, 'releaseTag: must not contain ".." or "@{", got "v1/../2"'],
  ['a link that is no page', { githubRunUrl: 'javascript:alert(1)' }, 'githubRunUrl'],
  ['no instance at all', { limit: 0 }, 'limit'],
  ['a short commit', { commit: 'abc' }, 'commit: expected 40 lower-case hexadecimal digits, got "abc"'],
])('%s is refused by name', (_, over, line) => {
  const lines = linesOf({ ...body, ...over });
  expect(lines).toHaveLength(1);
  expect(lines[0]?.startsWith(line)).toBe(true);
});

test('an answer is a receipt or says that nothing is run, and never half of each', () => {
  const skipped = { schemaVersion: 'assay.receipt/1', status: 'SKIPPED', rule: null, reason: 'no rule takes it' };
  expect(DispatchReply.parse(skipped)).toEqual(skipped);
  expect(DispatchReply.safeParse({ ...skipped, runId: 'run-1' }).success).toBe(false);
  expect(DispatchReply.safeParse({ ...skipped, status: 'WAITING' }).success).toBe(false);
});

test('an origin holds a caller that is one of three, whole', () => {
  const caller = (principal: unknown) => RunOrigin.shape.principal.safeParse(principal).success;
  expect(caller({ kind: 'deployment' })).toBe(true);
  expect(caller({ kind: 'service', tokenId: 't', name: 'ci' })).toBe(true);
  expect(caller({ kind: 'service', tokenId: 't', name: 'ci', scopes: [] })).toBe(false);
  expect(caller({ kind: 'workflow', repository: 'acme/agent' })).toBe(false);
});
