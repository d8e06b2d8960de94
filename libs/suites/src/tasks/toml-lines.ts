const KEY = String.raw`(?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*')`;
const HEADER = new RegExp(String.raw`^\s*(\[\[?)\s*(${KEY}(?:\s*\.\s*${KEY})*)\s*\]`);
const ASSIGNMENT = new RegExp(String.raw`^\s*(${KEY}(?:\s*\.\s*${KEY})*)\s*=`);

/**
 * Line (from 1) where the value at `path` is written in a TOML text: that of its key, else of the nearest table around
 * it, else null. smol-toml tells positions only for syntax errors.
 */
export function lineOfKey(text: string, path: readonly PropertyKey[]): number | null {
  const wanted = path.map(String);
  let best: { line: number; depth: number } | null = null;
  for (const { line, keys } of definitions(text)) {
    const depth = keys.length;
    const matches = depth <= wanted.length && keys.every((key, index) => key === wanted[index]);
    if (matches && (best === null || depth > best.depth)) best = { line, depth };
  }
  return best?.line ?? null;
}

function* definitions(text: string): Generator<{ line: number; keys: string[] }> {
  let table: string[] = [];
  const elements = new Map<string, number>();
  let inString = false;
  for (const [index, line] of text.split('\n').entries()) {
    const starts = !inString;
    if ((line.match(/"""|'''/g) ?? []).length % 2 === 1) inString = !inString;
    if (!starts) continue;
    const header = HEADER.exec(line);
    if (header !== null) {
      table = parts(header[2] ?? '');
      if (header[1] === '[[') {
        const name = table.join('.');
        const element = elements.get(name) ?? 0;
        elements.set(name, element + 1);
        if (element === 0) yield { line: index + 1, keys: table };
        table = [...table, String(element)];
      }
      yield { line: index + 1, keys: table };
      continue;
    }
    const assignment = ASSIGNMENT.exec(line);
    if (assignment !== null) yield { line: index + 1, keys: [...table, ...parts(assignment[1] ?? '')] };
  }
}

function parts(dotted: string): string[] {
  return [...dotted.matchAll(new RegExp(KEY, 'g'))].map(([key]) => key.replace(/^["']|["']$/g, ''));
}
