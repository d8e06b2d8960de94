/** Splits one line of CSV into its fields. */
export function parseRow(line) {
  return line.split(',').map(unquote);
}

/** Reads a whole text: the first row names the columns. */
export function parse(text) {
  const [head, ...rows] = text.split(/\r?\n/).filter((line) => line !== '');
  const names = parseRow(head);
  return rows.map((row) => Object.fromEntries(parseRow(row).map((field, index) => [names[index], field])));
}

function unquote(field) {
  return field.startsWith('"') && field.endsWith('"') ? field.slice(1, -1) : field;
}
