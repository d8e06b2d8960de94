/** Injection tokens of values that are no classes. */
export const TIMINGS = Symbol('TIMINGS');
export const PROTOCOL = Symbol('PROTOCOL');
export const ARTIFACTS = Symbol('ARTIFACTS');
export const NAMES = Symbol('NAMES');
