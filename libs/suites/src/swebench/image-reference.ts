import type { ImageSource } from '@assay/contracts';

export type NamedImage = Extract<ImageSource, { kind: 'reference' }>;

const LABEL = '[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?';
/** What comes before the first slash is a registry only if it has a dot or a port, or is localhost, as Docker has it. */
const HOST = String.raw`(?:localhost|${LABEL}(?=[.:])(?:\.${LABEL})*|\[[0-9a-fA-F:]+\])(?::[0-9]+)?`;
const PART = String.raw`[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*`;
const REFERENCE = new RegExp(
  `^((?:${HOST}/)?${PART}(?:/${PART})*(?::[\\w][\\w.-]{0,127})?)(?:@(sha256:[0-9a-f]{64}))?$`,
);

export const IMAGE_DIGEST = /^sha256:[0-9a-f]{64}$/;

/** What an image name must look like, in words. */
export const IMAGE_EXPECTED =
  'expected an image name such as owner/name:tag, registry.example/owner/name:tag or owner/name@sha256:<64 hexadecimal digits>';

/**
 * An image name parted into its reference and its digest (grammar: distribution/reference; of digests only sha256).
 * Null: it is none.
 */
export function parseImage(text: string): NamedImage | null {
  // A name has at most 255 characters, a tag 128, a digest 71.
  const [, reference, digest] = text.length > 456 ? [] : (REFERENCE.exec(text) ?? []);
  if (reference === undefined) return null;
  return digest === undefined ? { kind: 'reference', reference } : { kind: 'reference', reference, digest };
}
