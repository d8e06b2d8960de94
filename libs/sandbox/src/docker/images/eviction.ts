/** A layer of an image; layers of one key are one on the disk. */
export interface Layer {
  readonly key: string;
  readonly bytes: number;
}

export interface StoredImage {
  readonly id: string;
  readonly layers: readonly Layer[];
  /** Milliseconds since 1970. */
  readonly lastUsed: number;
  /** A container has it, or an open run will want it. */
  readonly needed: boolean;
}

/** Bytes that images take on the disk: what they share counts once. */
export function bytesOf(images: readonly StoredImage[]): number {
  const layers = new Map(images.flatMap((image) => image.layers).map(({ key, bytes }) => [key, bytes]));
  return [...layers.values()].reduce((sum, bytes) => sum + bytes, 0);
}

/** Bytes of the largest part that one image shares with no other: what one more of their kind may add. */
export function largestOwnPart(images: readonly StoredImage[]): number {
  const all = bytesOf(images);
  return Math.max(0, ...images.map((image) => all - bytesOf(images.filter(({ id }) => id !== image.id))));
}

/**
 * Which images go so that the rest fits into the budget: the least recently used first, none that is needed, and none
 * that was used since `restedSince`. They may not suffice.
 */
export function imagesToEvict(
  images: readonly StoredImage[],
  { budgetBytes, restedSince }: { budgetBytes: number; restedSince: number },
): string[] {
  const candidates = images
    .filter(({ needed, lastUsed }) => !needed && lastUsed < restedSince)
    .sort((a, b) => a.lastUsed - b.lastUsed || (a.id < b.id ? -1 : 1));
  const gone = new Set<string>();
  for (const { id } of candidates) {
    if (bytesOf(images.filter((image) => !gone.has(image.id))) <= budgetBytes) break;
    gone.add(id);
  }
  return [...gone];
}
