import type { RunView } from '@assay/contracts';

const ORDER = [
  'QUEUED',
  'PREPARING',
  'RUNNING_AGENT',
  'UPLOADING',
  'GRADING',
  'RETRY_WAIT',
  'RESOLVED',
  'UNRESOLVED',
  'EXECUTION_ERROR',
  'INFRA_FAILED',
  'CANCELLED',
] as const;

const BAR = 24;

/** One line: a bar of the finished instances, and every state that has any. */
export function progressLine(run: RunView): string {
  const { total, resolved, unresolved, executionError, infraFailed, cancelled } = run.counts;
  const done = resolved + unresolved + executionError + infraFailed + cancelled;
  const filled = total === 0 ? 0 : Math.round((done / total) * BAR);
  const states = ORDER.flatMap((state) => {
    const count = run.states[state] ?? 0;
    return count === 0 ? [] : [`${state.toLowerCase().replaceAll('_', ' ')} ${count}`];
  });
  return `[${'#'.repeat(filled)}${'.'.repeat(BAR - filled)}] ${done}/${total}  ${states.join(', ') || run.state.toLowerCase()}`;
}

/** Shows progress: one line rewritten in place on a terminal, else a line for every change. */
export class Progress {
  private last = '';

  constructor(
    private readonly out: { write(text: string): unknown; isTTY?: boolean; columns?: number } = process.stdout,
  ) {}

  show(run: RunView): void {
    const line = progressLine(run);
    if (line === this.last) return;
    this.last = line;
    if (this.out.isTTY === true) this.out.write(`\r\u001b[K${line.slice(0, (this.out.columns ?? 120) - 1)}`);
    else this.out.write(`${line}\n`);
  }

  end(): void {
    if (this.out.isTTY === true && this.last !== '') this.out.write('\n');
    this.last = '';
  }
}
