/**
 * Foreign text (a suite's title, a model's name, a failure's message) as one line of GitHub's Markdown that shows exactly
 * that text: no markup, no HTML, no mention of a person, no reference to an issue.
 */
export function markdownText(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/&/g, '&amp;')
    .replace(/[\\`*[\]<>|~$]/g, '\\$&')
    .replace(/(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])/g, '\\_')
    .replace(/#(?=\d)/g, '&#35;')
    .replace(/(?<![A-Za-z0-9])@/g, '&#64;')
    .replace(/\bGH-(?=\d)/gi, 'GH&#45;')
    .replace(/:\/\//g, '&#58;//')
    .replace(/\bwww\./gi, 'www&#46;');
}

/** Foreign text as an inline code span. */
export function markdownCode(text: string): string {
  const plain = text.replace(/\s+/g, ' ').trim();
  const longest = Math.max(0, ...(plain.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  const pad = plain.startsWith('`') || plain.endsWith('`') || plain === '' ? ' ' : '';
  return `${fence}${pad}${plain}${pad}${fence}`;
}
