/** Injection tokens of values that are no classes. */
export const ARTIFACTS = Symbol('ARTIFACTS');
export const PROVIDERS = Symbol('PROVIDERS');
/** The ListeningGateway, or null where this executor has no model. */
export const GATEWAY = Symbol('GATEWAY');
