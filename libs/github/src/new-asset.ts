import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Digest } from '@assay/contracts';

/** A file for a release. Its content is streamed: an archive may be larger than memory. */
export interface NewAsset {
  /** Of `A-Z a-z 0-9 . _ -`, no period first or last: GitHub renames others. */
  readonly name: string;
  readonly label: string;
  /** How the block names it. */
  readonly title: string;
  readonly mediaType: string;
  /** Bytes. */
  readonly size: number;
  readonly digest: Digest;
  /** The content from its beginning; called once for every upload. */
  open(): Readable;
}

/** A file whose content is in memory: results, statements. */
export function smallAsset(
  named: Pick<NewAsset, 'label' | 'title' | 'mediaType'> & { readonly nameOf: (digest: Digest) => string },
  content: Buffer,
): NewAsset {
  const { nameOf, ...rest } = named;
  const digest = createHash('sha256').update(content).digest('hex') as Digest;
  return {
    ...rest,
    name: nameOf(digest),
    size: content.length,
    digest,
    open: () => Readable.from(content.length === 0 ? [] : [content]),
  };
}
