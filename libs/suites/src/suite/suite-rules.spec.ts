import { parseSuite } from './load-suite';

/** A valid suite with these fields changed. */
function suiteWith(change: Record<string, unknown>): string {
  const suite = {
    schema: 'assay.suite/1',
    name: 'small',
    title: 'Small',
    dataset: { name: 'd', revision: '1' },
    source: { kind: 'swebench', file: 'rows.jsonl' },
    publish: 'score',
    benchmarkSize: 500,
    errorThreshold: 10,
    agent: { name: 'nop' },
    ...change,
  };
  return JSON.stringify(suite, null, 1);
}

const DIGEST = 'a'.repeat(64);

test.each<[string, Record<string, unknown>]>([
  ['a score of a benchmark', {}],
  ['counts of a diagnostic', { kind: 'diagnostic', publish: 'counts' }],
  ['a check of infrastructure', { kind: 'infrastructure', publish: 'none', agent: { name: 'probe' } }],
  ['what is published beside a score', { publishTrajectories: true, publishPatches: true }],
  ['never stopping early', { abortAfterInfraFailures: 0 }],
  [
    'a chain',
    { chain: [{ suite: 'next' }, { suite: 'one', limit: 1, instanceId: 'regex-log' }, { suite: 'k', limit: 5 }] },
  ],
  ['a small number of a benchmark', { publish: 'counts', defaultLimit: 1, maxLimit: 5 }],
  ['a data file', { source: { kind: 'terminal-bench', file: 'a.tar.gz', expect: 89, sha256: DIGEST, obtain: 'ask' } }],
  ['the least of everything', { limits: { memoryMb: 6, cpus: 0.01, pids: 6, diskMb: 1 } }],
  ['the evaluated version', { agent: { name: 'qwen-code', version: 'evaluated' } }],
  ['a title of the data set', { dataset: { name: 'd', revision: '1', title: 'Data' } }],
])('%s is valid', (_, change) => {
  expect(parseSuite(suiteWith(change), 'x').name).toBe('small');
});

test.each<[string, Record<string, unknown>, string]>([
  [
    'a score of a diagnostic',
    { kind: 'diagnostic' },
    'publish: expected none or counts: a suite of the kind diagnostic',
  ],
  [
    'a score of infrastructure',
    { kind: 'infrastructure', agent: { name: 'probe' } },
    'publish: expected none or counts: a suite of the kind infrastructure never publishes a score',
  ],
  ['infrastructure with an agent', { kind: 'infrastructure', publish: 'none' }, 'agent.name: expected probe, the only'],
  ['a probe elsewhere', { agent: { name: 'probe' } }, 'agent.name: expected an agent that works'],
  ['another kind', { kind: 'test' }, 'kind: expected "benchmark" or "diagnostic" or "infrastructure"'],
  ['memory for nothing', { limits: { memoryMb: 1 } }, 'limits.memoryMb: expected at least 6, got 1'],
  ['memory beyond every machine', { grader: { memoryMb: 1e9 } }, 'grader.memoryMb: expected at most 67108864'],
  ['no CPU to speak of', { grader: { cpus: 0.001 } }, 'grader.cpus: expected at least 0.01, got 0.001'],
  ['CPUs beyond every machine', { limits: { cpus: 8193 } }, 'limits.cpus: expected at most 8192, got 8193'],
  ['no room for a process', { limits: { pids: 5 } }, 'limits.pids: expected at least 6, got 5'],
  ['stopping early', { abortAfterInfraFailures: 3 }, 'abortAfterInfraFailures: expected 0, never stop early'],
  ['a score of a part', { defaultLimit: 1, maxLimit: 5 }, 'maxLimit: expected null: a score is that of the whole'],
  [
    'a bound without a number',
    { publish: 'none', maxLimit: 5 },
    'defaultLimit: expected 1 to 5, because maxLimit is 5',
  ],
  ['more than the bound', { publish: 'none', defaultLimit: 6, maxLimit: 5 }, 'defaultLimit: expected 1 to 5'],
  ['a score in unknown images', { unpinned: 'allow' }, 'unpinned: expected refuse: a score is measured in images'],
  ['a chain to nothing', { chain: [{ suite: '' }] }, 'chain.0.suite: expected 1 to 100 characters'],
  [
    'a chain of one and many',
    { chain: [{ suite: 'a', limit: 2, instanceId: 'b' }] },
    'chain.0.instanceId: expected none with',
  ],
  ['a chain of none', { chain: [{ suite: 'a', limit: 0 }] }, 'chain.0.limit: expected more than 0'],
  ['nine attempts', { retry: { maxAttempts: 9 } }, 'retry.maxAttempts: expected at most 8'],
  ['no attempts', { retry: { maxAttempts: 0 } }, 'retry.maxAttempts: expected at least 1'],
  ['a back-off below zero', { retry: { backoffSeconds: -1 } }, 'retry.backoffSeconds: expected at least 0'],
  [
    'an archive of another kind',
    { source: { kind: 'terminal-bench', file: 'a.zip' } },
    'source.file: expected a file name that ends in .tar.gz or .tgz',
  ],
  [
    'a sha256 that is none',
    { source: { kind: 'swebench', file: 'a.jsonl', sha256: 'A' } },
    'source.sha256: expected 64 lower-case hexadecimal digits',
  ],
])('%s is refused with its place', (_, change, expected) => {
  expect(() => parseSuite(suiteWith(change), 'x')).toThrow(expected);
  expect(() => parseSuite(suiteWith(change), 'x')).toThrow(/^ {2}\d+:\d+ /m);
});
