import { Namespace, type PublicResult } from '@assay/contracts';
import { InfraError } from '@assay/failures';
import { scoreLines, scoreOf } from '@assay/scoring';
import { aFailedResult, aPublicResult } from '@assay/testing';
import {
  blockMarkers,
  bodyWithResult,
  markdownCode,
  markdownText,
  MAX_RELEASE_BODY,
  renderBlock,
  renderShortBlock,
} from './index';

const url = 'https://example.com/o/r/releases/download/v1/assay.json';
const links = [
  { title: 'Every instance', name: 'assay.json', url },
  { title: 'Trajectories', name: 'assay.tar.gz', url: url.replace('.json', '.tar.gz') },
];
const none: typeof links = [];
const markers = blockMarkers(Namespace.parse('assay'), 'demo');

const counts = { total: 500, resolved: 377, unresolved: 118, executionError: 2, infraFailed: 3, cancelled: 0 };
const scored: Partial<PublicResult> = { publish: 'score', benchmarkSize: 500, counts, score: scoreOf(counts) };
const quarantined: Partial<PublicResult> = {
  ...scored,
  status: 'QUARANTINED',
  score: null,
  reasons: [{ code: 'too_many_errors', message: 'too many errors' }],
};

test('a part of a benchmark says k / N, not a benchmark score, and links its result', () => {
  expect(renderBlock(aPublicResult(), links)).toBe(
    [
      '<!-- Written by a machine: an edit between these two marks is lost. -->',
      '',
      '### Demo suite',
      '',
      '**3 / 5, not a benchmark score**',
      '',
      ...scoreLines(aPublicResult())
        .slice(1)
        .map((line) => `- ${line}`),
      '- Evaluated: `v1.2.0`, commit `abababababab`, package `1.2.0`',
      '- Run `run-1`',
      '- Every instance: [assay.json](https://example.com/o/r/releases/download/v1/assay.json)',
      '- Trajectories: [assay.tar.gz](https://example.com/o/r/releases/download/v1/assay.tar.gz)',
      '',
    ].join('\n'),
  );
});

test('a score stands with every line that must stand beside it', () => {
  const text = renderBlock(aPublicResult(scored), links);
  expect(text).toContain('**Score: 76.16 % (377 / 495 instances with a verdict)**');
  for (const line of scoreLines(aPublicResult(scored)).slice(1)) expect(text).toContain(`- ${line}`);
});

test('a quarantined run shows its reasons and no percentage at all', () => {
  const text = renderBlock(aPublicResult(quarantined), links);
  expect(text).toContain('**QUARANTINED: not a score**');
  expect(text).toContain('- Reason: too many errors (too_many_errors)');
  expect(text).not.toContain('%');
});

test('without an asset there is no link; with an Actions run there is one', () => {
  expect(renderBlock(aPublicResult(), none)).not.toContain('](');
  const githubRunUrl = 'https://github.com/acme/agent/actions/runs/1';
  expect(renderBlock(aPublicResult({ githubRunUrl }), none)).toContain(`[this workflow run](${githubRunUrl})`);
});

test('a run that failed says so with its cause, though nothing of it was resolved', () => {
  const failed = aFailedResult({ failure: { code: 'agent_package_missing', message: 'npm has no *1.2.0*' } });
  const text = renderBlock(failed, links);
  expect(text).toContain('### Demo suite\n\n**Failed, not scored**\n');
  expect(text).toContain('- Cause: npm has no \\*1.2.0\\* (agent_package_missing)');
  expect(text).toContain('- Evaluated: `v1.2.0`\n');
  expect(text).not.toMatch(/%|null|undefined/);
  expect(renderShortBlock(failed, none)).toContain('- Failed, not scored\n- Run `run-1`');
});

test('a release that another ref was evaluated for names both', () => {
  const release = { repository: 'acme/agent', tag: 'dsw-eas-full-20260821-r1' };
  expect(renderBlock(aPublicResult({ release }), none)).toContain(
    '- Evaluated: `v1.2.0`, commit `abababababab`, package `1.2.0`, ' +
      'for the release `dsw-eas-full-20260821-r1`, which is another ref\n',
  );
});

test('one instance of a benchmark is no hundred per cent, short or long', () => {
  const one = { total: 1, resolved: 1, unresolved: 0, executionError: 0, infraFailed: 0, cancelled: 0 };
  const part = aPublicResult({ publish: 'score', benchmarkSize: 500, counts: one, score: scoreOf(one) });
  for (const text of [renderBlock(part, links), renderShortBlock(part, links)]) {
    expect(text).toContain('1 of 1 run, of 500 in the benchmark: not a benchmark score');
    expect(text).not.toContain('%');
  }
});

test('a suite that publishes nothing has no block', () => {
  expect(() => renderBlock(aPublicResult({ publish: 'none' }), none)).toThrow(
    expect.objectContaining({ blame: 'contract', code: 'nothing_to_publish' }) as Error,
  );
});

describe('foreign text', () => {
  test.each([
    ['markup', 'a*b* _c_ `d` ~e~', 'a\\*b\\* \\_c\\_ \\`d\\` \\~e\\~'],
    ['HTML', '<img src=x>', '\\<img src=x\\>'],
    ['a comment that would hide the rest', '<!-- x', '\\<!-- x'],
    ['a link', '[x](y)', '\\[x\\](y)'],
    ['a bare address', 'https://evil.example www.evil.example', 'https&#58;//evil.example www&#46;evil.example'],
    ['a mention', 'thanks @octocat', 'thanks &#64;octocat'],
    ['a reference', 'fixes #12 and GH-3', 'fixes &#35;12 and GH&#45;3'],
    ['entities', '&lt;', '&amp;lt;'],
    ['line breaks', 'a\r\n\n## b', 'a ## b'],
    ['names as they are', 'SWE-bench_Verified@c104f840 76.16 %', 'SWE-bench_Verified@c104f840 76.16 %'],
  ])('%s is shown, not obeyed', (_name, text, shown) => {
    expect(markdownText(text)).toBe(shown);
  });

  test.each([
    ['v1.2.0', '`v1.2.0`'],
    ['a`b', '``a`b``'],
    ['`a`', '`` `a` ``'],
    ['a\nb', '`a b`'],
  ])('%j as code is %s', (text, shown) => {
    expect(markdownCode(text)).toBe(shown);
  });

  test('no field of a result can break out of its line or of the block', () => {
    const nasty = `x\n${markers.end}\n\`\`\`\n# y <b> @all`;
    const result = aPublicResult({
      title: nasty,
      model: nasty,
      agent: { name: nasty, version: nasty },
      evaluated: { ref: nasty, commit: nasty, packageVersion: nasty },
      reasons: [{ code: nasty, message: nasty }],
      githubRunUrl: `https://x/)\n${markers.end}`,
    });
    const body = bodyWithResult('Notes', result, links, markers);
    expect(body.split('\n').filter((line) => line === markers.end)).toHaveLength(1);
    expect(body.split('\n').filter((line) => /^(#|`|<b)/.test(line))).toEqual([
      expect.stringMatching(/^### x \\<!-- assay/) as string,
    ]);
    expect(bodyWithResult(body, result, links, markers)).toBe(body);
  });
});

describe('notes near the limit', () => {
  const full = renderBlock(aPublicResult(scored), links);
  const short = renderShortBlock(aPublicResult(scored), links);

  test('the short block has the counts and the link, and no percentage', () => {
    expect(short).toContain('- Instances: 377 resolved, 118 unresolved, 2 execution errors, 3 infrastructure failures');
    expect(short).toContain(`- Every instance: [assay.json](${url})`);
    expect(short).not.toContain('tar.gz');
    expect(short).not.toContain('%');
    expect(short.length).toBeLessThan(full.length / 2);
    expect(renderShortBlock(aPublicResult(quarantined), none)).toContain('- QUARANTINED: not a score');
  });

  test.each([
    ['the whole block', MAX_RELEASE_BODY - 1500, '76.16 %'],
    ['the short one', MAX_RELEASE_BODY - 600, '### Demo suite'],
  ])('%s is written where it fits', (_name, length, holds) => {
    const body = bodyWithResult('n'.repeat(length), aPublicResult(scored), links, markers);
    expect(body.length).toBeLessThanOrEqual(MAX_RELEASE_BODY);
    expect(body).toContain(holds);
    expect(body.includes('76.16 %')).toBe(holds === '76.16 %');
  });

  test('without room for either, nothing is written and the failure says so', () => {
    const write = () => bodyWithResult('n'.repeat(MAX_RELEASE_BODY - 100), aPublicResult(scored), links, markers);
    expect(write).toThrow(InfraError);
    expect(write).toThrow('leave no room for the result: a body may have 125000 characters');
  });

  test('a block that stands already makes room for its successor', () => {
    const once = bodyWithResult('n'.repeat(MAX_RELEASE_BODY - 1500), aPublicResult(scored), links, markers);
    const twice = bodyWithResult(once, aPublicResult(scored), links, markers);
    expect(twice).toBe(once);
  });
});
