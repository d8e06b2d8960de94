import { digitsEnd } from '../text/digits';
import { somewhere } from '../text/places';

/** Why a log without a verdict may not be the patch's doing. `environment`: cannot be; `ambiguous`: may be either. */
export interface InfraFailure {
  readonly reason: InfraFailureReason;
  readonly tier: 'environment' | 'ambiguous';
}

export type InfraFailureReason =
  | 'browser_launch_failed'
  | 'display_unavailable'
  | 'out_of_memory'
  | 'container_unavailable'
  | 'network_unreachable'
  | 'missing_module'
  | 'no_tests_collected'
  | 'tests_timed_out';

interface Signature extends InfraFailure {
  readonly isIn: (content: string) => boolean;
}

/** In this order; the first that is found wins. Signatures of the harness's infra_failure.py. */
const SIGNATURES: readonly Signature[] = [
  environment('browser_launch_failed', /Failed to launch|Failed to connect to the bus/),
  environment('display_unavailable', /cannot open display|Missing X server|unable to open X display/),
  environment('out_of_memory', /Cannot allocate memory|OutOfMemoryError|(?:^|\n)Killed(?=\n|$)/),
  environment('container_unavailable', /Error response from daemon|Cannot connect to the Docker daemon/),
  environment('network_unreachable', /Could not resolve host|Temporary failure in name resolution/),
  ambiguous('missing_module', /Cannot find module|MODULE_NOT_FOUND|ModuleNotFoundError/),
  ambiguous('no_tests_collected', /no tests ran|collected 0 items/),
  { reason: 'tests_timed_out', tier: 'ambiguous', isIn: tellsTimeout },
];

function environment(reason: InfraFailureReason, pattern: RegExp): Signature {
  return { reason, tier: 'environment', isIn: (content) => pattern.test(content) };
}

function ambiguous(reason: InfraFailureReason, pattern: RegExp): Signature {
  return { reason, tier: 'ambiguous', isIn: (content) => pattern.test(content) };
}

/** `Timeout error: \d+ seconds exceeded` */
function tellsTimeout(content: string): boolean {
  return somewhere(content, 'Timeout error: ', (_, from) => {
    const to = digitsEnd(content, from);
    return to > from && content.startsWith(' seconds exceeded', to);
  });
}

/** Null when the log shows nothing of the kind. Advisory: it changes no verdict. */
export function infraFailureIn(content: string): InfraFailure | null {
  const found = SIGNATURES.find(({ isIn }) => isIn(content));
  return found === undefined ? null : { reason: found.reason, tier: found.tier };
}
