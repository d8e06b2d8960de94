import { statusPairs } from './status-pairs';

test.each([0, 1, 9_999, 10_000, 10_001, 20_000])('%d statuses become one JSON list, in order', (count) => {
  const statuses = new Map(Array.from({ length: count }, (_, index) => [`t${index}`, 'PASSED']));
  expect(JSON.parse([...statusPairs(statuses)].join(''))).toEqual([...statuses]);
});
