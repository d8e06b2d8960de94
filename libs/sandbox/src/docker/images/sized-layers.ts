import type { Layer } from './eviction';

/** One step of an image's history as the engine tells it; `Created` in whole seconds since 1970, `Size` in bytes. */
export interface HistoryEntry {
  readonly Created: number;
  readonly CreatedBy: string;
  readonly Size: number;
}

/**
 * The layers of an image that take room, each with a key that two images share only if they share the layer.
 *
 * The engine tells sizes by the history and contents by `diffIds`, and not which belong together: a step such as WORKDIR
 * makes a layer of size 0, a step such as ENV none. So the key is what the history says, and as many of the lowest layers
 * as lie below this one for certain: the nth layer with a size has at least n layers up to and with itself. The history
 * alone is too little: two layers of one size may be made by the same command within one second.
 * @param history newest first
 * @param diffIds the digests of the layers' contents, lowest first
 */
export function sizedLayers(history: readonly HistoryEntry[], diffIds: readonly string[]): readonly Layer[] {
  return history
    .filter(({ Size }) => Size > 0)
    .reverse()
    .map(({ Created, CreatedBy, Size }, index) => ({
      key: [Created, Size, CreatedBy, ...diffIds.slice(0, index + 1)].join(' '),
      bytes: Size,
    }));
}
