/** Words of an instruction: separated by blanks, quotes keep blanks together and are dropped, `\` keeps one character. */
export function splitWords(text: string): string[] {
  const words: string[] = [];
  let word: string | null = null;
  let quote: string | null = null;
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (char === '\\' && quote !== "'" && at + 1 < text.length) {
      at += 1;
      word = (word ?? '') + text.charAt(at);
    } else if (quote !== null) {
      if (char === quote) quote = null;
      else word = (word ?? '') + char;
    } else if (char === '"' || char === "'") {
      quote = char;
      word ??= '';
    } else if (/\s/.test(char)) {
      if (word !== null) words.push(word);
      word = null;
    } else {
      word = (word ?? '') + char;
    }
  }
  if (word !== null) words.push(word);
  return words;
}

/** Replaces `$NAME`, `${NAME}` and `${NAME:-default}`; an unknown name becomes nothing, as in Docker. */
export function expand(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(
    /\$(?:([A-Za-z_][A-Za-z0-9_]*)|\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\})/g,
    (_whole, bare: string | undefined, braced: string | undefined, otherwise: string | undefined) => {
      const value = values[bare ?? braced ?? ''] ?? '';
      return value === '' ? (otherwise ?? '') : value;
    },
  );
}
