import type { Suite } from '@assay/suites';
import { expectedInstances } from './expected-instances';

type Told = Parameters<typeof expectedInstances>[0];

const rows = (over: Record<string, unknown> = {}): Suite['source'] => ({
  kind: 'swebench',
  file: 'rows.jsonl',
  ...over,
});
const suite = (over: Partial<Told> = {}): Told => ({
  ...{ source: rows(), defaultLimit: null, benchmarkSize: 500 },
  ...over,
});
const all = { limit: null, instanceId: null };

test.each<[string, Told, { limit: number | null; instanceId: string | null }, number | null]>([
  ['one by its id', suite(), { limit: 1, instanceId: 'a__b-1' }, 1],
  ['as many as were asked for', suite(), { limit: 5, instanceId: null }, 5],
  ['as many as the suite runs by itself', suite({ defaultLimit: 3 }), all, 3],
  ['the whole benchmark', suite(), all, 500],
  ['as many as it names', suite({ source: rows({ instances: ['a', 'b'] }) }), all, 2],
  ['unknown, where a slice is taken', suite({ source: rows({ select: { slice: '::2' } }) }), all, null],
  [
    'unknown, where the folder tells',
    suite({ source: { kind: 'harbor' } as Suite['source'], benchmarkSize: null }),
    all,
    null,
  ],
])('a run will have %s', (_, given, asked, wanted) => {
  expect(expectedInstances(given, asked)).toBe(wanted);
});
