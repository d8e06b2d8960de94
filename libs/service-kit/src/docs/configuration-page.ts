import type { AppName } from '@assay/contracts';
import { z } from 'zod';
import { commonConfig, DEFAULT_PORTS } from '../common-config';
import { describeConfig, type SettingDescription } from '../describe-config';

const NOTE = '<!-- Made from the services’ schemas by `npm run docs`; a test fails when it is stale. -->';

/** Where the page of a service lies, from the project's root. */
export function configurationFile(app: AppName): string {
  return `docs/configuration/${app}.md`;
}

/** The page of one service: every variable that it reads, its own first. */
export function configurationPage(app: AppName, schema: z.ZodObject): string {
  const shared = Object.keys(commonConfig(app));
  const all = describeConfig(schema);
  const own = all.filter(({ variable }) => !shared.includes(variable));
  const common = all.filter(({ variable }) => shared.includes(variable));
  const missing = shared.filter((name) => !common.some(({ variable }) => variable === name));
  if (missing.length > 0) throw new Error(`the ${app} lacks the common settings ${missing.join(', ')}`);
  return page([
    `# Settings of the ${app}`,
    '',
    NOTE,
    '',
    'Environment variables; an empty one counts as absent. All that are wrong are named in one message, exit code 78.',
    '',
    '## Its own',
    '',
    ...(own.length === 0 ? ['None.'] : table(own)),
    '',
    '## Those of every service',
    '',
    ...table(common),
  ]);
}

/** The first page: what all services share, and where the rest is. */
export function configurationIndex(): string {
  const apps = Object.entries(DEFAULT_PORTS);
  return page([
    '# Configuration',
    '',
    NOTE,
    '',
    'Every service reads environment variables and nothing else. Secrets are files: a variable ending in `_FILE` names one,',
    'which must be a regular file of mode 0600, 0440 or 0400 in a folder that not everybody can write to.',
    'Tracing is set by the standard `OTEL_` variables and is off by default.',
    '',
    '| service | port where nothing is set | its settings |',
    '| --- | --- | --- |',
    ...apps.map(([app, port]) => `| ${app} | ${port} | [configuration/${app}.md](configuration/${app}.md) |`),
  ]);
}

function table(settings: readonly SettingDescription[]): string[] {
  return [
    '| variable | default | expected | meaning |',
    '| --- | --- | --- | --- |',
    ...settings.map(
      (one) => `| ${[code(one.variable), standard(one), one.expected, one.meaning].map(cell).join(' | ')} |`,
    ),
  ];
}

function standard({ fallback, required }: SettingDescription): string {
  if (fallback !== null) return code(fallback);
  return required ? '**required**' : 'none';
}

function code(text: string): string {
  return `\`${text}\``;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replace(/<(\w+)>/g, '&lt;$1&gt;');
}

function page(lines: readonly string[]): string {
  return `${lines.join('\n')}\n`;
}
