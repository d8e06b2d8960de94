import type { RunView } from '@assay/contracts';
import { Progress, progressLine } from './progress';

const run = (states: RunView['states'], counts: Partial<RunView['counts']> = {}): RunView =>
  ({
    state: 'RUNNING',
    states,
    counts: { total: 8, resolved: 0, unresolved: 0, executionError: 0, infraFailed: 0, cancelled: 0, ...counts },
  }) as RunView;

test('a line has a bar, the done ones and every state that has any, in the order of life', () => {
  expect(progressLine(run({ GRADING: 1, RESOLVED: 2, QUEUED: 5 }, { resolved: 2 }))).toBe(
    '[######..................] 2/8  queued 5, grading 1, resolved 2',
  );
});

test('a run without instances yet shows its own state', () => {
  expect(progressLine({ ...run({}, { total: 0 }), state: 'WAITING' })).toBe('[........................] 0/0  waiting');
});

test('without a terminal every change is a plain line, and no change is none', () => {
  const lines: string[] = [];
  const progress = new Progress({ write: (text) => lines.push(text) });
  progress.show(run({ QUEUED: 8 }));
  progress.show(run({ QUEUED: 8 }));
  progress.show(run({ QUEUED: 7, PREPARING: 1 }));
  progress.end();
  expect(lines).toEqual([
    '[........................] 0/8  queued 8\n',
    '[........................] 0/8  queued 7, preparing 1\n',
  ]);
});

test('on a terminal the line is rewritten in place and never wraps', () => {
  let shown = '';
  const progress = new Progress({ write: (text) => (shown += text), isTTY: true, columns: 30 });
  progress.show(run({ QUEUED: 8 }));
  progress.end();
  expect(shown).toBe('\r\u001b[K[........................] 0/\n'.slice(0, 4) + '[........................] 0/' + '\n');
});
