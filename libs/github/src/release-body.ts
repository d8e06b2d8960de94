import type { RunResult } from '@assay/contracts';
import { InfraError } from '@assay/failures';
import type { BlockMarkers } from './block-markers';
import { type BlockLink, renderBlock, renderShortBlock } from './render-block';
import { replaceBlock } from './replace-block';

/**
 * How long a release body may be, people's part included. GitHub refuses more with 422 "body is too long (maximum is
 * 125000 characters)"; its documentation does not say so. Counted here in UTF-16 units, which are never fewer.
 */
export const MAX_RELEASE_BODY = 125_000;

/**
 * The body that a release should have. Where the whole block does not fit, a short one that still has the counts.
 * @throws InfraError `release_body_too_long` when not even that fits: then a person must shorten the notes
 */
export function bodyWithResult(
  body: string | null,
  result: RunResult,
  links: readonly BlockLink[],
  markers: BlockMarkers,
): string {
  for (const render of [renderBlock, renderShortBlock]) {
    const next = replaceBlock(body, render(result, links), markers);
    if (next.length <= MAX_RELEASE_BODY) return next;
  }
  throw new InfraError(
    `the notes of the release leave no room for the result: a body may have ${MAX_RELEASE_BODY} characters`,
    { code: 'release_body_too_long', phase: 'publish', details: { characters: body?.length ?? 0 } },
  );
}
