import { InstanceView } from '@assay/contracts';
import { judged, judgedLine, type Submitted } from './judged';

const PREDICTION: Submitted = { id: 'a__a-1', model: 'm', patch: 'diff', trajectoryFile: null };

function instance(state: string, failure: { code: string; message: string } | null = null): InstanceView {
  return InstanceView.parse({
    instanceId: 'a__a-1',
    sample: 0,
    state,
    attempts: 0,
    worker: null,
    nextTryAt: null,
    failure: failure === null ? null : { ...failure, blame: 'task', phase: 'grade' },
    limit: null,
    suspicions: [],
    traceId: null,
    history: [],
  });
}

test.each(['QUEUED', 'PREPARING', 'RUNNING_AGENT', 'UPLOADING', 'GRADING', 'RETRY_WAIT'])('%s is open', (state) => {
  expect(judged(PREDICTION, instance(state))).toBeNull();
});

test('a verdict is a verdict; one without a patch is told apart, white space is a patch', () => {
  expect(judged(PREDICTION, instance('RESOLVED'))).toEqual({ outcome: 'resolved' });
  expect(judged(PREDICTION, instance('UNRESOLVED'))).toEqual({ outcome: 'unresolved' });
  expect(judged({ ...PREDICTION, patch: ' \n' }, instance('UNRESOLVED'))).toEqual({ outcome: 'unresolved' });
  expect(judged({ ...PREDICTION, patch: null }, instance('UNRESOLVED'))).toEqual({ outcome: 'empty' });
});

test('what has no verdict says why', () => {
  const why = { code: 'patch_apply_failed', message: 'the prediction does not apply' };
  const failed = judged(PREDICTION, instance('EXECUTION_ERROR', why))!;
  expect(failed).toEqual({ outcome: 'failed', ...why });
  expect(judgedLine('a__a-1', failed, [])).toBe(
    'failed      a__a-1  patch_apply_failed: the prediction does not apply',
  );
  expect(judged(PREDICTION, instance('INFRA_FAILED'))).toMatchObject({ outcome: 'failed', code: 'infra_failed' });
  expect(judged(PREDICTION, instance('CANCELLED'))).toMatchObject({ outcome: 'failed', code: 'cancelled' });
});

test('a line names the verdict, the instance, and what is suspicious', () => {
  expect(judgedLine('a__a-1', { outcome: 'resolved' }, ['tests_in_patch'])).toBe(
    'resolved    a__a-1  (suspicions: tests_in_patch)',
  );
  expect(judgedLine('a__a-1', { outcome: 'empty' }, [])).toBe('unresolved  a__a-1  (empty patch)');
});
