export { countsOf, scorableOf } from './counts';
export {
  decideGate,
  FORGED_EXIT_MARKER,
  type GateDecision,
  type GateInstance,
  type GatePolicy,
  isWholeBenchmark,
  maxErrorThreshold,
} from './gate.policy';
export { percentOf, scoreOf, wilson95 } from './score';
export { scoreLines, showsScore } from './score-lines';
export { publicCause, publicText, withoutSecrets } from './public-text';
