import { assertNever, type Blame } from '@assay/contracts';
import type { FailureCode } from './codes';

/** `once`: a single time more, on a worker with nothing else to do. */
export type TriedAgain = 'yes' | 'once' | 'no';

/** Where the code decides and not its blame. A test of the coordinator holds this against libs/lifecycle. */
const BY_CODE: ReadonlyMap<FailureCode, TriedAgain> = new Map([
  ['tests_timed_out', 'once'],
  // A publication is tried until it stands, whatever keeps it from that.
  ['release_mismatch', 'yes'],
  // The run is over.
  ['work_cancelled', 'no'],
] as const);

/** Whether work that ended so is done again (design rule 4): for our faults, while tries are left. */
export function triedAgain(code: FailureCode, blame: Blame): TriedAgain {
  return BY_CODE.get(code) ?? byBlame(blame);
}

function byBlame(blame: Blame): TriedAgain {
  switch (blame) {
    case 'infra':
    case 'contract':
      return 'yes';
    case 'agent':
    case 'task':
      return 'no';
    default:
      return assertNever(blame);
  }
}
