/** Injection tokens of values that are no classes. */
export const ARTIFACTS = Symbol('ARTIFACTS');
export const PROVIDERS = Symbol('PROVIDERS');
