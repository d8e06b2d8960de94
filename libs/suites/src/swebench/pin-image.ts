import type { Problem } from '@assay/contracts';
import { IMAGE_EXPECTED, type NamedImage, parseImage } from './image-reference';

/**
 * The image that an instance is frozen with: its name as the suite has it, pinned by the digest that the name or the
 * suite's map of digests holds. What is wrong comes back as a problem of the column `image`.
 * @param digest from the suite's map; null: the suite has no map, or it says nothing of the instance
 */
export function pinImage(name: string, digest: string | null): NamedImage | Problem {
  const image = parseImage(name);
  if (image === null) return { field: 'image', value: name, expected: `${IMAGE_EXPECTED} (after the suite's naming)` };
  if (digest === null) return image;
  if (image.digest !== undefined && image.digest !== digest) {
    return { field: 'image', value: name, expected: `expected the digest that the suite pins, ${digest}` };
  }
  return { ...image, digest };
}
