import fc from 'fast-check';
import { decideDispatch } from './decide-dispatch.policy';
import { mayPublish } from './may-publish.policy';
import { decide, NOTES, REPOSITORY, SHIPPED } from './testdata/shipped-gate';

describe('whatever is published', () => {
  const part = fc.constantFrom(
    'v',
    '1',
    '0',
    '12',
    '.',
    '-',
    '..',
    '/',
    'nightly',
    'preview',
    'dsw-eas-full-',
    'dsw-eas-smoke-',
    'dsw-eas-tb-smoke-',
    ' ',
    '\n',
    '+',
    'sdk-',
    'é',
  );
  const tag = fc.oneof(
    fc.array(part, { maxLength: 8 }).map((parts) => parts.join('')),
    fc.tuple(fc.nat(99), fc.nat(99), fc.nat(3)).map((numbers) => `v${numbers.join('.')}`),
    fc.string({ unit: 'binary' }),
  );
  const facts = fc.record({ tag, prerelease: fc.boolean(), draft: fc.boolean(), body: fc.constantFrom('', NOTES) });

  test('no stable release but vX.Y.0 runs by itself, and it runs on its own tag', () => {
    fc.assert(
      fc.property(facts, (each) => {
        const decision = decide({ release: { ...each, prerelease: false } });
        if (decision.decision === 'skip') return;
        expect(each.draft).toBe(false);
        expect(each.tag).toMatch(/^v[0-9]+\.[0-9]+\.0(?!\n)$/);
        expect(decision.plan.evaluatedRef).toBe(each.tag);
      }),
      { numRuns: 2000 },
    );
  });

  test('no prerelease outside of the three families runs by itself', () => {
    fc.assert(
      fc.property(facts, (each) => {
        const decision = decide({ release: { ...each, prerelease: true } });
        if (decision.decision === 'run')
          expect(each.tag).toMatch(/^dsw-eas-(smoke|tb-smoke|full)-[0-9A-Za-z._-]+(?!\n)$/);
      }),
      { numRuns: 2000 },
    );
  });

  test('every skip has a reason of printable ASCII, in one line', () => {
    const anyFacts = fc.record({
      repository: fc.oneof(fc.constant(REPOSITORY), fc.string({ unit: 'binary' })),
      event: fc.constantFrom('release', 'workflow_dispatch', 'manual'),
      release: fc.option(facts),
      inputs: fc.record(
        {
          evaluatedRef: fc.oneof(tag, fc.constant('v1.2.3')),
          suite: fc.oneof(fc.string({ unit: 'binary' }), fc.constant('swe_verified_smoke')),
          limit: fc.oneof(fc.integer(), fc.constant(1)),
          instanceId: fc.string({ unit: 'binary' }),
          chainLimit: fc.integer(),
          chainInstanceId: fc.string({ unit: 'binary' }),
        },
        { requiredKeys: [] },
      ),
    });
    fc.assert(
      fc.property(anyFacts, (each) => {
        const decision = decideDispatch(each, SHIPPED);
        if (decision.decision === 'skip') expect(decision.reason).toMatch(/^[\x20-\x7e]{10,600}$/);
        else expect(decision.plan.packageVersion).toMatch(/^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/);
      }),
      { numRuns: 2000 },
    );
  });

  test('what runs by itself may be published by itself, if the mode is for it, and nothing else may', () => {
    const everywhere = { ...SHIPPED, publication: 'all' as const };
    fc.assert(
      fc.property(facts, (each) => {
        const decision = decide({ release: each });
        const evaluatedRef = decision.decision === 'run' ? decision.plan.evaluatedRef : each.tag;
        const answer = mayPublish(
          { trigger: 'release', repository: REPOSITORY, release: each, evaluatedRef },
          everywhere,
        );
        if (decision.decision === 'run') expect(answer).toEqual({ answer: 'write', reason: null });
        else if (decision.rule === null) expect(answer.answer).toBe('no');
      }),
      { numRuns: 2000 },
    );
  });
});
