import fc from 'fast-check';
import { mayPublish, type PublishFacts } from './may-publish.policy';
import type { PublicationMode } from './policy.schema';
import { REPOSITORY, SHIPPED } from './testdata/shipped-gate';

interface Case extends Partial<Omit<PublishFacts, 'release'>> {
  readonly tag: string;
  readonly prerelease?: boolean;
  readonly draft?: boolean;
  readonly mode?: PublicationMode;
}

function answer({ tag, prerelease = false, draft = false, mode = 'all', ...more }: Case) {
  const facts: PublishFacts = {
    trigger: 'release',
    repository: REPOSITORY,
    release: { tag, prerelease, draft },
    evaluatedRef: tag,
    ...more,
  };
  return mayPublish(facts, { ...SHIPPED, publication: mode });
}

const FULL = { tag: 'dsw-eas-full-1', prerelease: true, evaluatedRef: 'v0.21.15' };

test.each([
  ['all', 'v1.2.0', 'write', null],
  ['all', 'dsw-eas-full-1', 'write', null],
  ['prerelease', 'v1.2.0', 'no', 'publication is for prereleases only'],
  ['prerelease', 'dsw-eas-full-1', 'write', null],
  ['dry-run', 'v1.2.0', 'dry_run', 'publication is a dry run'],
  ['dry-run', 'dsw-eas-full-1', 'dry_run', 'publication is a dry run'],
  ['off', 'v1.2.0', 'no', 'publication is off'],
  ['off', 'dsw-eas-full-1', 'no', 'publication is off'],
] as const)('with publication %s, %s is answered %s', (mode, tag, expected, reason) => {
  const given = tag.startsWith('v') ? { tag } : FULL;
  expect(answer({ ...given, mode })).toEqual({ answer: expected, reason });
});

test('the shipped policy writes to prereleases only', () => {
  expect(SHIPPED.publication).toBe('prerelease');
});

test.each(['workflow_dispatch', 'manual'] as const)('a run by %s never writes to a stable release', (trigger) => {
  const reason = 'a run that a person started is published on prereleases only';
  expect(answer({ tag: 'v1.2.0', trigger })).toEqual({ answer: 'no', reason });
  expect(answer({ tag: 'v1.2.0', trigger, mode: 'dry-run' })).toEqual({ answer: 'no', reason });
});

test.each(['workflow_dispatch', 'manual'] as const)(
  'a run by %s writes to prereleases of a family, and to targets',
  (trigger) => {
    const on = (tag: string) => answer({ tag, prerelease: true, trigger, evaluatedRef: 'v0.21.15' });
    for (const tag of ['dsw-eas-full-1', 'dsw-manual-poc-20260727-1', 'dsw-swe-full-async-poc-1-r3']) {
      expect(on(tag)).toEqual({ answer: 'write', reason: null });
    }
    for (const tag of ['v0.23.0-preview.0', 'v0.20.0-nightly.20260722.b98306b7e', 'sdk-typescript-v0.1.0', 'v1.2.0']) {
      expect(on(tag)).toEqual({
        answer: 'no',
        reason: `the release "${tag}" belongs to no family of QwenLM/qwen-code`,
      });
    }
  },
);

test('a run by release does not write to what only a run by hand may', () => {
  expect(answer({ tag: 'dsw-manual-poc-1', prerelease: true }).answer).toBe('no');
});

test.each(['v0.21.15', 'sdk-typescript-v0.1.0', 'desktop-v1.2.0', 'pr6633-screenshots', 'dsw-eas-full-1'])(
  'a stable release %s of no family is not written to',
  (tag) => {
    expect(answer({ tag })).toEqual({
      answer: 'no',
      reason: `the release "${tag}" belongs to no family of QwenLM/qwen-code`,
    });
  },
);

test('on a stable release the evaluated ref is the tag', () => {
  expect(answer({ tag: 'v1.2.0', evaluatedRef: 'v1.3.0' })).toEqual({
    answer: 'no',
    reason: 'the release tag "v1.2.0" is not the evaluated ref "v1.3.0"',
  });
});

test('on a prerelease the evaluated ref may be another', () => {
  expect(answer(FULL).answer).toBe('write');
});

test.each([
  [{ draft: true }, 'the release "v1.2.0" is a draft'],
  [{ repository: 'a/b' }, 'the policy has no repository "a/b"'],
  [{ tag: '../v1.2.0' }, 'the tag "../v1.2.0" is not one that a release under test may have'],
] as const)('nothing is written given %j', (more, reason) => {
  expect(answer({ tag: 'v1.2.0', ...more })).toEqual({ answer: 'no', reason });
});

test('whatever the facts, a stable release is written to only by its own publication, on its own tag, in mode all', () => {
  const facts = fc.record({
    tag: fc.constantFrom('v1.2.0', 'v1.2.1', 'dsw-eas-full-1', '../x', 'desktop-v1.0.0'),
    evaluatedRef: fc.constantFrom('v1.2.0', 'v1.2.1', 'v0.1.0'),
    trigger: fc.constantFrom('release', 'workflow_dispatch', 'manual'),
    draft: fc.boolean(),
    mode: fc.constantFrom('off', 'dry-run', 'prerelease', 'all'),
  });
  fc.assert(
    fc.property(facts, (each) => {
      const written = answer({ ...each, prerelease: false }).answer === 'write';
      const expected =
        each.tag === 'v1.2.0' &&
        each.evaluatedRef === 'v1.2.0' &&
        each.trigger === 'release' &&
        !each.draft &&
        each.mode === 'all';
      expect(written).toBe(expected);
    }),
    { numRuns: 1000 },
  );
});
