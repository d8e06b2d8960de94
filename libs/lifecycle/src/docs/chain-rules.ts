import { assertNever, PublicationState, RunState } from '@assay/contracts';
import { afterInChain, type ChainedAfter, type ChainStep } from '../chain.policy';
import { isTerminalRunState } from '../run.machine';
import { CHAIN_SKIPS } from './explanations';

const FAILURE = { code: 'package_late', message: 'no package' };

/** What becomes of a link, as tables: the rule is asked of every state that the run before it and its publication can have. */
export function chainRules(): string[] {
  return [
    'What the run before a link leads to:',
    '',
    '| run | its publication | the link |',
    '| --- | --- | --- |',
    ...rows().map((row) => `| ${row.join(' | ')} |`),
    '',
    'Why a link is SKIPPED:',
    '',
    '| cause | means |',
    '| --- | --- |',
    ...Object.entries(CHAIN_SKIPS).map(([cause, text]) => `| ${cause} | ${text} |`),
    '',
  ];
}

/** Runs that lead to the same, whatever their publication is, share a row. */
function rows(): string[][] {
  const measured = RunState.options.filter(
    (state) => isTerminalRunState(state) && state !== 'CANCELLED' && state !== 'FAILED',
  );
  const open = RunState.options.filter((state) => !isTerminalRunState(state));
  return [
    ...byPublication(open.join(', '), { state: 'RUNNING' }),
    ...byPublication('CANCELLED', { state: 'CANCELLED' }),
    ...byPublication([...measured, 'FAILED'].join(', '), { state: 'SUCCEEDED' }),
    ...byPublication('FAILED by the release itself', { state: 'FAILED', failure: FAILURE }),
  ];
}

function byPublication(name: string, before: Pick<ChainedAfter, 'state'> & Partial<ChainedAfter>): string[][] {
  const found = new Map<string, PublicationState[]>();
  for (const publication of PublicationState.options) {
    const step = afterInChain({ runId: '', publication, publicationReason: null, failure: null, ...before });
    found.set(words(step), [...(found.get(words(step)) ?? []), publication]);
  }
  return [...found].map(([step, publications]) => [name, found.size === 1 ? 'any' : publications.join(', '), step]);
}

function words(step: ChainStep): string {
  switch (step.step) {
    case 'wait':
      return 'waits';
    case 'start':
      return 'starts';
    case 'skip':
      return `is SKIPPED: ${step.cause}`;
    default:
      return assertNever(step);
  }
}
