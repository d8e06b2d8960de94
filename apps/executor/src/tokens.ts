/** Injection tokens of values that are no classes. */
export const ARTIFACTS = Symbol('ARTIFACTS');
export const PROVIDERS = Symbol('PROVIDERS');
export const ENDPOINT = Symbol('ENDPOINT');
export const TIMINGS = Symbol('TIMINGS');
export const WORKER = Symbol('WORKER');
