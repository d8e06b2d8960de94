/** One instruction of a Dockerfile, its continuation lines joined. */
export interface DockerfileLine {
  /** Line in the file, from 1, where the instruction begins. */
  readonly number: number;
  /** In capitals. */
  readonly keyword: string;
  readonly rest: string;
}

/** The instructions of a Dockerfile; comments and empty lines are dropped, also between continuation lines. */
export function dockerfileLines(text: string): DockerfileLine[] {
  const found: DockerfileLine[] = [];
  let open: { number: number; text: string } | null = null;
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (/^\s*(#|$)/.test(line)) continue;
    const continued = /\\\s*$/.test(line);
    const content = continued ? line.replace(/\\\s*$/, ' ') : line;
    open = open === null ? { number: index + 1, text: content } : { number: open.number, text: open.text + content };
    if (continued) continue;
    found.push(instruction(open));
    open = null;
  }
  if (open !== null) found.push(instruction(open));
  return found;
}

function instruction({ number, text }: { number: number; text: string }): DockerfileLine {
  const [, keyword = '', rest = ''] = /^\s*(\S+)\s*(.*)$/s.exec(text) ?? [];
  return { number, keyword: keyword.toUpperCase(), rest };
}
