import * as fc from 'fast-check';
import { InstanceId, Namespace, RunId } from '@assay/contracts';
import { decodeHelper, decodeLabels, encodeLabels, helperLabels, sandboxName, type SandboxLabels } from './labels';

const labels: SandboxLabels = {
  namespace: Namespace.parse('assay'),
  key: { kind: 'grade', runId: RunId.parse('run.1'), instanceId: InstanceId.parse('a__b-1'), sample: 3 },
  epoch: 12,
  role: 'grade',
  deadline: 1_800_000_000_000,
};

test('labels come back as they went', () => {
  expect(decodeLabels(encodeLabels(labels))).toEqual(labels);
});

test.each(Object.keys(encodeLabels(labels)))('without %s, or with nonsense in it, they are nobody s', (name) => {
  const encoded = encodeLabels(labels);
  expect(decodeLabels({ ...encoded, [name]: undefined })).toBeNull();
  if (name !== 'assay.namespace') expect(decodeLabels({ ...encoded, [name]: '?' })).toBeNull();
});

test('a helper has a deadline, belongs to no work, and has ended when it does not run, unless it is a turn', () => {
  const [look, turn] = (['look', 'turn'] as const).map((role) => helperLabels(Namespace.parse('assay'), role, 7));
  expect(decodeHelper(look ?? {})).toEqual({ deadline: 7, runs: true });
  expect(decodeHelper(turn ?? {})).toEqual({ deadline: 7, runs: false });
  expect(decodeLabels(look ?? {})).toBeNull();
  expect(decodeHelper(encodeLabels(labels))).toBeNull();
  expect(decodeHelper({ ...look, 'assay.deadline': 'soon' })).toBeNull();
});

test('a name is the same for the same work and epoch, and another for any other', () => {
  expect(sandboxName(labels)).toBe(sandboxName({ ...labels }));
  const others = [
    { ...labels, epoch: 13 },
    { ...labels, role: 'trial' as const },
    { ...labels, key: { ...labels.key, sample: 4 } },
    { ...labels, key: { ...labels.key, kind: 'trial' as const } },
    { ...labels, namespace: Namespace.parse('other') },
  ];
  expect(new Set([labels, ...others].map(sandboxName)).size).toBe(6);
});

test('a name is legal for an engine and a file system, however long the ids are', () => {
  const id = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/);
  fc.assert(
    fc.property(id, id, (run, instance) => {
      const key = { ...labels.key, runId: RunId.parse(run), instanceId: InstanceId.parse(instance) };
      expect(sandboxName({ ...labels, key })).toMatch(/^[a-z][A-Za-z0-9_.-]{1,120}$/);
    }),
  );
});
