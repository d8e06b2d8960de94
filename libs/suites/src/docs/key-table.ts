import { KEY_RULES } from '../tasks/key-rules';

/** What becomes of each key of task.toml, as a table of Markdown. */
export function keyTable(): string {
  const rows = KEY_RULES.map(({ key, treatment, why }) => `| \`${key}\` | ${treatment} | ${why} |`);
  return ['| Key | Treatment | Why, or how |', '| --- | --- | --- |', ...rows].join('\n');
}
