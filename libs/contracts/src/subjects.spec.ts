import fc from 'fast-check';
import { INSTANCE_ID_PATTERN, InstanceId, Namespace, RunId } from './ids';
import { names, subjectToken } from './subjects';
import type { WorkKey } from './work.message';

const one = names(Namespace.parse('assay'));
const key = (over: Partial<WorkKey> = {}): WorkKey => ({
  kind: 'trial',
  runId: RunId.parse('run-1'),
  instanceId: InstanceId.parse('sympy__sympy-20590'),
  sample: 0,
  ...over,
});

test('a work subject has the namespace, the kind, the run and the instance', () => {
  expect(one.work(key())).toBe('assay.work.trial.run-1.sympy__sympy-20590');
});

test('dots in ids make no new tokens', () => {
  const subject = one.work(key({ runId: RunId.parse('v1.2.0'), instanceId: InstanceId.parse('a.b') }));
  expect(subject).toBe('assay.work.trial.v1=2E2=2E0.a=2Eb');
});

test('samples of one instance have subjects of their own', () => {
  expect(one.work(key({ sample: 3 }))).not.toBe(one.work(key()));
});

test('different ids never share a token', () => {
  const id = fc.stringMatching(INSTANCE_ID_PATTERN);
  fc.assert(fc.property(id, id, (a, b) => a === b || subjectToken(a) !== subjectToken(b)));
});

test('a token is always legal in a subject', () => {
  fc.assert(fc.property(fc.stringMatching(INSTANCE_ID_PATTERN), (id) => /^[A-Za-z0-9_=-]+$/.test(subjectToken(id))));
});

test('two namespaces share no name', () => {
  const other = names(Namespace.parse('other'));
  const strings = (all: typeof one): string[] => Object.values(all).filter((value) => typeof value === 'string');
  expect(strings(one).filter((name) => strings(other).includes(name))).toEqual([]);
  expect(one.work(key())).not.toBe(other.work(key()));
});
