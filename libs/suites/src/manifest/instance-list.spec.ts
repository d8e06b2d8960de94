import type { InstanceId } from '@assay/contracts';
import { instanceList } from './instance-list';

const ids = ['a__a-1', 'b__b-2'] as InstanceId[];

test('of SWE-bench it has the members of the pool’s manifest, in their order, and no version of its format', () => {
  const suite = {
    dataset: { name: 'swe-bench/swe-bench-verified', revision: '2' },
    source: { kind: 'swebench', file: 'rows.jsonl' },
  } as const;
  expect(JSON.stringify(instanceList(suite, ids))).toBe(
    '{"dataset":"swe-bench/swe-bench-verified","dataset_revision":"2","expected_instances":2,' +
      '"instance_ids":["a__a-1","b__b-2"]}',
  );
});

test('of Terminal-Bench it begins with the version of its format', () => {
  const suite = {
    dataset: { name: 'terminal-bench', revision: '2.0', title: 'Terminal-Bench 2.0' },
    source: { kind: 'terminal-bench', file: 'tasks.tar.gz' },
  } as const;
  expect(JSON.stringify(instanceList(suite, ids.slice(1)))).toBe(
    '{"schema_version":"qwen-code-terminal-bench-2.0-manifest/v1","dataset":"terminal-bench","dataset_revision":"2.0",' +
      '"expected_instances":1,"instance_ids":["b__b-2"]}',
  );
});
