import { TaskError } from '@assay/failures';
import { PROJECT_ROOT } from '@assay/testing';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadPolicy } from './load-policy';

const MINIMAL = `schema: assay.policy/1
repositories:
  - name: acme/agent
    package: { registry: npm, name: acme-agent }
    rules:
      - name: stable
        event: release
        prerelease: false
        tag: '^v[0-9]+$'
        suite: small
`;

const DISPATCH = `    dispatch:
      suites: [small, large]
      suite: small
      limits: [1, 5]
      limit: 1
`;

function problemsOf(text: string): string[] {
  try {
    loadPolicy(text, 'assay.policy.yaml');
  } catch (error) {
    expect(error).toBeInstanceOf(TaskError);
    const { message, code } = error as TaskError;
    expect(code).toBe('policy_invalid');
    const [first, ...problems] = message.split('\n');
    expect(first).toBe('assay.policy.yaml is not a valid release policy:');
    return problems;
  }
  throw new Error('the policy is valid');
}

function swap(from: string, to: string, text = MINIMAL): string {
  expect(text).toContain(from);
  return text.replace(from, to);
}

test('what a policy leaves out has the documented values', () => {
  expect(loadPolicy(MINIMAL, 'x')).toEqual({
    schema: 'assay.policy/1',
    publication: 'prerelease',
    access: { repositories: [] },
    repositories: [
      {
        name: 'acme/agent',
        package: { registry: 'npm', name: 'acme-agent' },
        rules: [
          {
            name: 'stable',
            event: 'release',
            prerelease: false,
            tag: '^v[0-9]+$',
            suite: 'small',
            limit: null,
            instanceId: null,
            chain: [],
          },
        ],
        override: null,
        dispatch: null,
      },
    ],
  });
});

test('what a dispatch leaves out has the documented values', () => {
  expect(loadPolicy(MINIMAL + DISPATCH, 'x').repositories[0]?.dispatch).toEqual({
    suites: ['small', 'large'],
    suite: 'small',
    limits: [1, 5],
    limit: 1,
    instanceId: null,
    chain: null,
    unchained: [],
    targets: [],
  });
});

const ACCESS = `access:
  repositories:
    - name: acme/agent
      id: '1'
      ownerId: '2'
      workflows: [.github/workflows/release.yml]
      events: [release]
      refs: ['^refs/tags/.+$']
`;

test.each([
  ['an unknown key', `${MINIMAL}publish: all\n`, '  11:1 publish: no such key, got "all"'],
  ['an unknown key of a rule', swap('suite: small', 'siute: small, suite: small'), '  10:'],
  [
    'a mode that is none',
    `${MINIMAL}publication: yes\n`,
    '  11:14 publication: expected "off" or "dry-run" or "prerelease" or "all", got "yes"',
  ],
  ['another format', swap('policy/1', 'policy/2'), '  1:9 schema: expected "assay.policy/1", got "assay.policy/2"'],
  ['a repository without an owner', swap('acme/agent', 'agent'), '  3:11 repositories.0.name: expected owner/name'],
  [
    'a tag that is not anchored in front',
    swap('^v', 'v'),
    '  9:14 repositories.0.rules.0.tag: expected a pattern that is anchored at both ends: ^ first, $ last, got "v[0-9]+$"',
  ],
  ['a tag that is not anchored behind', swap('+$', '+'), '  9:14 repositories.0.rules.0.tag: expected a pattern that'],
  ['a tag whose alternatives are not anchored', swap('^v[0-9]+$', '^v|w$'), 'put alternatives in parentheses'],
  [
    'an event that is none',
    swap('event: release', 'event: push'),
    '  7:16 repositories.0.rules.0.event: expected one of the known kinds, got "push"',
  ],
  [
    'a rule by hand with nothing to choose from',
    `${MINIMAL}      - { name: by-hand, event: dispatch }\n`,
    '  11:33 repositories.0.rules.1.event: expected `dispatch` beside `rules`',
  ],
  [
    'two rules of a name',
    swap('    rules:\n', '    rules:\n      - { name: stable, event: dispatch }\n') + DISPATCH,
    '  7:15 repositories.0.rules.1.name: expected a name that no rule before it has, got "stable"',
  ],
  [
    'a repository twice, whatever its case',
    `${MINIMAL}${MINIMAL.split('\n').slice(2).join('\n')}`.replace(/acme\/agent(?![^]*acme\/agent)/, 'Acme/Agent'),
    '  11:11 repositories.1.name: expected a repository that is not listed before it, got "Acme/Agent"',
  ],
  [
    'an instance among several',
    `${MINIMAL}        instanceId: a\n`,
    '  11:21 repositories.0.rules.0.instanceId: expected null unless limit is 1, got "a"',
  ],
  [
    'an instance among several of what follows',
    `${MINIMAL}        chain: [{ suite: large, limit: 2, instanceId: a }]\n`,
    'rules.0.chain.0.instanceId: expected null unless limit is 1',
  ],
  ['a limit of nothing', `${MINIMAL}        limit: 0\n`, '  11:16 repositories.0.rules.0.limit: expected more than 0'],
  [
    'no rules',
    swap('    rules:\n', '    rules: []\n    other:\n'),
    'repositories.0.rules: expected at least 1 entries',
  ],
  [
    'a default that is not offered',
    MINIMAL + swap('suite: small', 'suite: huge', DISPATCH),
    '  13:14 repositories.0.dispatch.suite: expected one of suites, got "huge"',
  ],
  [
    'a default limit that is not offered',
    MINIMAL + swap('limit: 1', 'limit: 2', DISPATCH),
    '  15:14 repositories.0.dispatch.limit: expected one of limits, got 2',
  ],
  [
    'a limit of what follows that is not offered',
    `${MINIMAL}${DISPATCH}      chain: { suite: tb, limits: [1], limit: 89 }\n`,
    '  16:47 repositories.0.dispatch.chain.limit: expected one of limits, got 89',
  ],
  [
    'a target that is not anchored',
    `${MINIMAL}${DISPATCH}      targets: [dsw]\n`,
    '  16:17 repositories.0.dispatch.targets.0: expected a pattern that is anchored',
  ],
  [
    'an override whose key is none',
    `${MINIMAL}    override: { key: 'a b', pattern: '^x$' }\n`,
    '  11:22 repositories.0.override.key: expected 1 to 64 letters, digits and hyphens, got "a b"',
  ],
  [
    'an id that is no number',
    swap("id: '1'", "id: 'one'", ACCESS + MINIMAL),
    '  4:11 access.repositories.0.id: expected GitHub\'s number, in quotes, got "one"',
  ],
  [
    'a workflow outside of its folder',
    swap('.github/workflows/release.yml', '../x.yml', ACCESS + MINIMAL),
    '  6:19 access.repositories.0.workflows.0: expected .github/workflows/<name>.yml, got "../x.yml"',
  ],
  [
    'an event that starts no workflow of ours',
    swap('events: [release]', 'events: [pull_request]', ACCESS + MINIMAL),
    'access.repositories.0.events.0: expected "release" or "workflow_dispatch", got "pull_request"',
  ],
  ['an open bracket', 'schema: [', '(syntax): expected YAML'],
  ['an alias', swap('name: acme-agent', 'name: &a x, also: *a'), '(syntax): expected YAML (without aliases, found *a)'],
  ['nothing', '', '(body): expected an object, got null'],
])('%s is refused with line, column, field, expectation and value', (_, text, expected) => {
  expect(problemsOf(text).join('\n')).toContain(expected);
});

test('all problems are told at once', () => {
  expect(problemsOf(swap('acme/agent', 'agent', swap('^v', 'v', `${MINIMAL}x: 1\n`)))).toHaveLength(3);
});

test('the shipped policy is valid', () => {
  const file = join(PROJECT_ROOT, 'assay.policy.yaml');
  const policy = loadPolicy(readFileSync(file, 'utf8'), file);
  expect(policy.repositories.map(({ name }) => name)).toEqual(['QwenLM/qwen-code']);
});

describe('beside the suites that there are', () => {
  const text = `${MINIMAL}        chain: [{ suite: after }]
${DISPATCH}      chain: { suite: later, limits: [1], limit: 1 }
      unchained: [large]
`;
  const named = ['small', 'large', 'after', 'later'];

  test('a policy that names no other holds', () => {
    expect(loadPolicy(text, 'x', named)).toEqual(loadPolicy(text, 'x'));
  });

  test('every suite that is not there is told, with its line and column and those that are', () => {
    const told = (suites: string[]) => {
      try {
        loadPolicy(text, 'x', suites);
      } catch (error) {
        return (error as TaskError).message.split('\n').slice(1);
      }
      return [];
    };
    const one = (place: string, field: string, name: string) =>
      `  ${place} repositories.0.${field}: expected the name of a suite that is there: other, got "${name}"`;
    expect(told(['other'])).toEqual([
      one('10:16', 'rules.0.suite', 'small'),
      one('11:26', 'rules.0.chain.0.suite', 'after'),
      one('13:16', 'dispatch.suites.0', 'small'),
      one('13:23', 'dispatch.suites.1', 'large'),
      one('17:23', 'dispatch.chain.suite', 'later'),
      one('18:19', 'dispatch.unchained.0', 'large'),
    ]);
    expect(told([])[0]).toContain('that is there: (none), got "small"');
    for (const name of named) expect(told(named.filter((each) => each !== name)).join()).toContain(`got "${name}"`);
  });
});
