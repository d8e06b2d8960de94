/** Which code unit a place in a pattern takes. */
export type Taken = (unit: string) => boolean;

/** A pattern as a tree: what the parser makes and the matcher walks. */
export type PatternTree =
  | { readonly kind: 'one'; readonly takes: Taken }
  | { readonly kind: 'sequence'; readonly parts: readonly PatternTree[] }
  | { readonly kind: 'choice'; readonly options: readonly PatternTree[] }
  | { readonly kind: 'repeat'; readonly of: PatternTree; readonly min: number; readonly max: number };

/** A pattern that cannot be taken; `message` is an expectation. */
export class PatternError extends Error {
  override readonly name = 'PatternError';
}
