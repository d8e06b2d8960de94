/** Wrong arguments or files: exit 2, the message alone. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Ends a command with this exit code and, where there is one, a message on stderr. */
export class ExitError extends Error {
  override readonly name = 'ExitError';

  constructor(
    readonly code: number,
    message = '',
  ) {
    super(message);
  }
}

/** Writes one line (or block) to stdout. */
export function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Writes the value as indented JSON when asked, else the text. */
export function answer(json: boolean | undefined, value: unknown, text: () => string): void {
  say(json === true ? JSON.stringify(value, null, 2) : text());
}

/** Columns padded to their widest cell, two spaces between them. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = rows.reduce<number[]>(
    (all, row) => row.map((cell, index) => Math.max(all[index] ?? 0, cell.length)),
    [],
  );
  return rows
    .map((row) =>
      row
        .map((cell, index) => cell.padEnd(widths[index] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
