/** Injection tokens of values that are no classes. */
export const PROTOCOL = Symbol('PROTOCOL');
export const ARTIFACTS = Symbol('ARTIFACTS');
/** The steps of a sweep, in their order. */
export const SWEEP_STEPS = Symbol('SWEEP_STEPS');
export const NAMES = Symbol('NAMES');
