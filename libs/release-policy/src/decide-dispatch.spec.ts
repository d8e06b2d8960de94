import { decideDispatch, type DispatchFacts } from './decide-dispatch.policy';
import { loadPolicy } from './load-policy';
import { aRelease, decide, NOTES, published, reasonOf, type Release, runOf } from './testdata/shipped-gate';

const FULL = {
  suite: 'dsw_release_swe_verified_v1',
  limit: 500,
  instanceId: null,
  chain: [{ suite: 'terminal_bench_2', limit: 89, instanceId: null }],
  publication: 'prerelease',
};
const ONE = {
  suite: 'swe_verified_smoke',
  limit: 1,
  instanceId: 'sympy__sympy-20590',
  chain: [{ suite: 'terminal_bench_2', limit: 1, instanceId: 'regex-log' }],
  publication: 'prerelease',
};

describe('a published release', () => {
  test.each(['v0.23.0', 'v0.24.0', 'v1.0.0', 'v10.200.0'])('%s is stable, and runs everything on itself', (tag) => {
    const plan = { ...FULL, evaluatedRef: tag, packageVersion: tag.slice(1) };
    expect(published(tag)).toEqual({ decision: 'run', rule: 'stable', plan });
  });

  test.each([
    ['dsw-eas-smoke-20260812-281542bfdc', 'eas-smoke', FULL],
    ['dsw-eas-smoke-1', 'eas-smoke', FULL],
    ['dsw-eas-tb-smoke-20260820-r2', 'eas-tb-smoke', ONE],
    ['dsw-eas-full-20260821-r1', 'eas-full', FULL],
  ])('%s is a prerelease of the family %s, and runs on what its notes name', (tag, rule, plan) => {
    const ref = { evaluatedRef: 'v0.21.15', packageVersion: '0.21.15' };
    expect(published(tag, { prerelease: true, body: NOTES })).toEqual({
      decision: 'run',
      rule,
      plan: { ...plan, ...ref },
    });
  });

  test.each([
    // stable, but not vX.Y.0
    ['v0.21.15', false],
    ['v0.22.3', false],
    ['v1.2.00', false],
    ['v1.2', false],
    ['1.2.0', false],
    ['V1.2.0', false],
    // stable tags that GitHub calls a prerelease, and the other way round
    ['v1.2.0', true],
    ['dsw-eas-full-20260821-r1', false],
    ['dsw-eas-smoke-1', false],
    ['dsw-eas-tb-smoke-1', false],
    // previews and nightlies
    ['v0.23.0-preview.0', true],
    ['v0.23.0-preview.0', false],
    ['v0.20.0-nightly.20260722.b98306b7e', true],
    ['v0.21.11-nightly.20260820.1234567890', true],
    // families of other products
    ['sdk-typescript-v0.1.0', false],
    ['sdk-python-v0.1.0', false],
    ['qwencode-sdk-java.0.0.1-alpha', true],
    ['vscode-companion-0.7.0', false],
    ['cua-driver-rs-v0.1.0', false],
    ['desktop-v1.2.0', false],
    ['pr6633-screenshots', false],
    ['pr-assets/6633', true],
    // benchmark families that nothing starts by itself
    ['dsw-swe-full-poc-20260701', true],
    ['dsw-swe-full-async-poc-20260724-1-r3', true],
    ['dsw-manual-poc-20260727-1', true],
    ['dsw-eas-net-smoke-20260801', true],
    // nearly a family
    ['dsw-eas-full-', true],
    ['xdsw-eas-full-1', true],
    ['dsw-eas-full-1/x', true],
    ['DSW-EAS-FULL-1', true],
    ['v1.2.0.0', false],
    ['v1.2.0+build', false],
  ])('%s (prerelease: %s) is skipped as of no rule', (tag, prerelease) => {
    const decision = published(tag, { prerelease, body: NOTES });
    expect(decision).toMatchObject({ decision: 'skip', rule: null });
    expect(reasonOf(decision)).toBe(
      `no rule of QwenLM/qwen-code takes the ${prerelease ? 'prerelease' : 'stable release'} "${tag}"`,
    );
  });

  test.each([
    ['../v1.2.0', '"../v1.2.0"'],
    ['v1..2.0', '"v1..2.0"'],
    ['dsw-eas-full-..', '"dsw-eas-full-.."'],
    ['v1.2.0\n', '"v1.2.0\\n"'],
    ['v1.2.0 ', '"v1.2.0 "'],
    ['v1.2.0;rm -rf', '"v1.2.0;rm -rf"'],
    ['$(id)', '"$(id)"'],
    ['ｖ1.2.0', '"\\uff561.2.0"'],
    ['v1.2.0@{1}', '"v1.2.0@{1}"'],
    ['-v1.2.0', '"-v1.2.0"'],
    ['', '""'],
    ['v'.repeat(161), `"${'v'.repeat(100)}\\u2026"`],
  ])('a tag %j is skipped, and told so that it cannot harm', (tag, shown) => {
    for (const prerelease of [true, false]) {
      const reason = reasonOf(published(tag, { prerelease, body: NOTES }));
      expect(reason).toBe(`the tag ${shown} is not one that a release under test may have`);
      expect(reason).toMatch(/^[\x20-\x7e]+$/);
    }
  });

  test('that is a draft is skipped, whatever its tag', () => {
    expect(reasonOf(published('v1.2.0', { draft: true }))).toBe('the release "v1.2.0" is a draft');
    expect(reasonOf(published('dsw-eas-full-1', { draft: true, prerelease: true, body: NOTES }))).toContain('a draft');
  });

  test('that is gone is skipped', () => {
    expect(reasonOf(decide({}))).toBe('there is no release of this tag');
  });

  test('of another repository is skipped; the case of a name makes none another', () => {
    const of = (repository: string) => decide({ repository, release: aRelease('v1.2.0') });
    expect(reasonOf(of('someone/qwen-code'))).toBe('the policy has no repository "someone/qwen-code"');
    expect(of('qwenlm/Qwen-Code').decision).toBe('run');
  });

  test('takes nothing from inputs, which only a person gives', () => {
    const inputs = { evaluatedRef: 'v9.9.9', suite: 'eas_smoke', limit: 1, instanceId: 'a__b-1', chainLimit: 1 };
    expect(decide({ release: aRelease('v1.2.0'), inputs })).toEqual(published('v1.2.0'));
  });

  test('that is a prerelease without the line names no version, and is skipped with how to name one', () => {
    const decision = published('dsw-eas-full-1', { prerelease: true });
    expect(decision).toMatchObject({ decision: 'skip', rule: 'eas-full' });
    expect(reasonOf(decision)).toBe(
      'the evaluated ref "dsw-eas-full-1" names no version such as v1.2.3; ' +
        'a prerelease names one by a line "Benchmark-Qwen-Ref: v1.2.3" in its notes',
    );
  });

  test('that is stable is what its tag says, whatever its notes say', () => {
    expect(runOf(published('v1.2.0', { body: 'Benchmark-Qwen-Ref: v0.1.0' })).plan.evaluatedRef).toBe('v1.2.0');
  });
});

describe.each(['workflow_dispatch', 'manual'] as const)('a run by %s', (event) => {
  const asked = (inputs: DispatchFacts['inputs'], tag = 'v0.21.15', more: Partial<Release> = {}) =>
    decide({ event, release: aRelease(tag, more), inputs });

  test('has the defaults of the policy: the smallest run of all', () => {
    expect(asked({})).toEqual({
      decision: 'run',
      rule: 'by-hand',
      plan: {
        suite: 'eas_smoke',
        limit: 1,
        instanceId: 'sympy__sympy-20590',
        chain: [],
        evaluatedRef: 'v0.21.15',
        packageVersion: '0.21.15',
        publication: 'prerelease',
      },
    });
  });

  test('takes any release, also one that starts nothing by itself', () => {
    expect(asked({}, 'v0.23.0-preview.0', { prerelease: true }).decision).toBe('run');
    expect(asked({ evaluatedRef: 'v1.2.3' }, 'pr6633-screenshots', { prerelease: true }).decision).toBe('run');
  });

  test('of one instance takes the one that was asked for, of more takes none', () => {
    const suite = 'dsw_release_swe_verified_v1';
    const form = { suite, instanceId: 'astropy__astropy-12907', chainInstanceId: 'hello-world' };
    expect(runOf(asked({ ...form, limit: 1, chainLimit: 1 })).plan).toMatchObject({
      limit: 1,
      instanceId: 'astropy__astropy-12907',
      chain: [{ suite: 'terminal_bench_2', limit: 1, instanceId: 'hello-world' }],
    });
    expect(runOf(asked({ ...form, limit: 500, chainLimit: 89 })).plan).toMatchObject({
      limit: 500,
      instanceId: null,
      chain: [{ suite: 'terminal_bench_2', limit: 89, instanceId: null }],
    });
  });

  test.each([
    [{ limit: 7 }, 'limit: expected 1 or 5 or 500, got 7'],
    [{ suite: 'huge' }, 'suite: expected eas_smoke or swe_verified_smoke or dsw_release_swe_verified_v1, got "huge"'],
    [{ suite: 'swe_verified_smoke', chainLimit: 5 }, 'chainLimit: expected 1 or 89, got 5'],
    [{ instanceId: '../x' }, 'instanceId: expected an instance id, got "../x"'],
    [{ suite: 'swe_verified_smoke', chainInstanceId: 'a b' }, 'chainInstanceId: expected an instance id, got "a b"'],
    [{ evaluatedRef: 'main' }, 'on a stable release the evaluated ref must be its tag "v0.21.15", got "main"'],
    [{ evaluatedRef: 'v0.21.14' }, 'on a stable release the evaluated ref must be its tag "v0.21.15", got "v0.21.14"'],
  ])('of %j is skipped with what was expected', (inputs, reason) => {
    expect(asked(inputs)).toEqual({ decision: 'skip', rule: 'by-hand', reason });
  });

  test('on a prerelease takes the notes first, then the input, then the tag', () => {
    const prerelease = true;
    const of = (inputs: DispatchFacts['inputs'], body: string) =>
      runOf(asked(inputs, 'v0.23.0-preview.0', { prerelease, body })).plan.evaluatedRef;
    expect(of({ evaluatedRef: 'v0.22.0' }, NOTES)).toBe('v0.21.15');
    expect(of({ evaluatedRef: 'v0.22.0' }, '')).toBe('v0.22.0');
    expect(of({}, '')).toBe('v0.23.0-preview.0');
  });

  test.each(['main', 'v1.2', '../x', 'v1.2.3-a..b', 'sdk-typescript-v1.2.3'])(
    'on %s, which is no version, is skipped',
    (ref) => {
      const reason = reasonOf(asked({ evaluatedRef: ref }, 'dsw-manual-poc-1', { prerelease: true }));
      expect(reason).toContain(`the evaluated ref "${ref}" names no version such as v1.2.3`);
    },
  );

  test('on a draft is skipped', () => {
    expect(reasonOf(asked({}, 'v1.2.0', { draft: true }))).toContain('is a draft');
  });
});

test('without a release only a manual run goes, on the ref that it names', () => {
  expect(runOf(decide({ event: 'manual', inputs: { evaluatedRef: 'v0.21.15' } })).plan.evaluatedRef).toBe('v0.21.15');
  expect(reasonOf(decide({ event: 'manual' }))).toBe('there is neither a release nor a ref to evaluate');
  expect(reasonOf(decide({ event: 'workflow_dispatch', inputs: { evaluatedRef: 'v0.21.15' } }))).toContain(
    'no release',
  );
});

test('the first rule that matches wins', () => {
  const rule = (name: string, suite: string) =>
    `      - { name: ${name}, event: release, prerelease: false, tag: '^v.*$', suite: ${suite} }\n`;
  const text = `schema: assay.policy/1\nrepositories:\n  - name: a/b\n    package: { registry: none, name: b }\n    rules:\n`;
  const two = loadPolicy(text + rule('one', 'first') + rule('two', 'second'), 'x');
  const facts = { repository: 'a/b', event: 'release', release: aRelease('v1.2.3'), inputs: {} } as const;
  expect(decideDispatch(facts, two)).toMatchObject({ rule: 'one', plan: { suite: 'first', limit: null } });
  expect(reasonOf(decideDispatch({ ...facts, event: 'workflow_dispatch' }, two))).toBe(
    'no rule of a/b takes runs that a person starts',
  );
});
