import type { PublicationSpec } from '@assay/contracts';
import type { Release } from '@assay/github';
import { aFailedResult, aPublicResult } from '@assay/testing';
import { aPolicy } from '../harness/a-policy';
import { permission } from './publication-gate';

function aRelease(over: Partial<Release> = {}): Release {
  return {
    id: 7,
    repository: 'acme/agent',
    tag: 'v1.2.0',
    body: null,
    draft: false,
    prerelease: false,
    immutable: false,
    uploadUrl: 'https://uploads.example.com',
    pageUrl: 'https://example.com',
    assets: [],
    ...over,
  };
}

function asked(trigger: string, ref = 'v1.2.0'): PublicationSpec {
  const result = aPublicResult({ trigger, evaluated: { ref, commit: 'ab'.repeat(20), packageVersion: '1.2.0' } });
  return {
    kind: 'publication',
    phase: 'write',
    repository: 'acme/agent',
    releaseId: 7,
    tag: 'v1.2.0',
    result,
    cases: [],
    blockDigest: null,
    assetNames: [],
  };
}

const bench = aRelease({ prerelease: true, tag: 'bench-1' });

const byHand = 'a run that a person started is published on prereleases only';

describe('without a policy', () => {
  test.each([
    ['a stable release that started its own run', aRelease(), asked('release'), 'write', null],
    ['a prerelease with its own ref', bench, asked('release', 'bench-1'), 'write', null],
    ['a prerelease with another ref', bench, asked('release'), 'write', null],
    ['a prerelease by hand', bench, asked('workflow_dispatch'), 'write', null],
    [
      'a stable release with another ref',
      aRelease(),
      asked('release', 'v1.1.0'),
      'no',
      'v1.1.0 was evaluated, and the stable release is v1.2.0',
    ],
    ['a stable release by workflow_dispatch', aRelease(), asked('workflow_dispatch'), 'no', byHand],
    ['a stable release by hand', aRelease(), asked('manual'), 'no', byHand],
    ['what is started by something unknown', aRelease(), asked('cron'), 'no', byHand],
  ])('%s', (_name, release, spec, answer, reason) => {
    expect(permission(release, spec, null)).toEqual({ answer, reason });
  });

  test('a failed run is no exception', () => {
    const result = aFailedResult({ trigger: 'manual' });
    expect(permission(aRelease(), { ...asked('release'), result }, null).answer).toBe('no');
  });
});

describe('with a policy, its mode decides over releases of its families', () => {
  test.each([
    ['off', 'no', 'no'],
    ['dry-run', 'dry_run', 'dry_run'],
    ['prerelease', 'write', 'no'],
    ['all', 'write', 'write'],
  ] as const)('%s: a prerelease %s, a stable release %s', (mode, prerelease, stable) => {
    expect(permission(bench, asked('release', 'bench-1'), aPolicy(mode)).answer).toBe(prerelease);
    expect(permission(aRelease(), asked('release'), aPolicy(mode)).answer).toBe(stable);
  });

  test.each([
    ['a foreign family', aRelease({ tag: 'desktop-v1.2.0' }), asked('release', 'desktop-v1.2.0')],
    ['a stable tag on a prerelease', aRelease({ prerelease: true }), asked('release')],
    ['a patch release', aRelease({ tag: 'v1.2.3' }), asked('release', 'v1.2.3')],
    ['another repository', aRelease({ repository: 'acme/other' }), asked('release')],
    ['a draft', aRelease({ draft: true }), asked('release')],
    ['a run by hand on a stable release', aRelease(), asked('manual')],
    ['another ref on a stable release', aRelease(), asked('release', 'v1.1.0')],
  ])('%s is not written to, whatever the mode', (_name, release, spec) => {
    const { answer, reason } = permission(release, spec, aPolicy('all'));
    expect([answer, typeof reason]).toEqual(['no', 'string']);
  });
});
