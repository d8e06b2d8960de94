import { isMap, isNode, isScalar, type Document, type LineCounter } from 'yaml';

export interface Place {
  readonly line: number;
  readonly column: number;
}

/**
 * Where in a YAML document the value at `path` stands: the value itself, or with `ofKey` its key; where there is none,
 * the nearest value around it.
 */
export function placeOf(
  document: Document,
  lines: LineCounter,
  path: readonly PropertyKey[],
  ofKey: boolean,
): Place | null {
  for (let depth = path.length; depth >= 0; depth -= 1) {
    const part = path.slice(0, depth);
    const offset = (ofKey && depth === path.length ? keyOffset(document, part) : null) ?? valueOffset(document, part);
    if (offset !== null) {
      const { line, col } = lines.linePos(offset);
      return { line, column: col };
    }
  }
  return null;
}

function valueOffset(document: Document, path: readonly PropertyKey[]): number | null {
  const node = path.length === 0 ? document.contents : document.getIn(path, true);
  return isNode(node) ? (node.range?.[0] ?? null) : null;
}

function keyOffset(document: Document, path: readonly PropertyKey[]): number | null {
  const parent = path.length === 1 ? document.contents : document.getIn(path.slice(0, -1), true);
  if (!isMap(parent)) return null;
  const pair = parent.items.find(({ key }) => isScalar(key) && key.value === path.at(-1));
  return isScalar(pair?.key) ? (pair.key.range?.[0] ?? null) : null;
}
