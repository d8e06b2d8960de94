import { randomUUID } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { ActionFailure } from './failure';

/**
 * What a step may say to the runner of GitHub Actions: lines on stdout, and lines in two files. Nothing that comes from
 * outside can become a command of its own, and no secret is in what is said.
 */
export class Runner {
  private readonly secrets = new Set<string>();

  constructor(
    private readonly env: NodeJS.ProcessEnv,
    private readonly write: (text: string) => void,
  ) {}

  /** From now on the runner and this process put `***` for it. */
  hide(secret: string): void {
    if (secret === '' || this.secrets.has(secret)) return;
    this.secrets.add(secret);
    this.write(`::add-mask::${escapeData(secret)}\n`);
  }

  /** A line of the log; it cannot begin with a command. */
  log(text: string): void {
    this.write(
      `${this.clean(text)
        .replaceAll(/[\r\n]+/g, ' ')
        .replace(/^(\s*)(::|##\[)/, '$1 $2')}\n`,
    );
  }

  notice(text: string): void {
    this.command('notice', text);
  }

  warning(text: string): void {
    this.command('warning', text);
  }

  error(text: string): void {
    this.command('error', text);
  }

  /** The step's output `name`, for later steps. */
  output(name: string, value: string): void {
    const end = `end_${randomUUID()}`;
    this.append('GITHUB_OUTPUT', `${name}<<${end}\n${this.clean(value)}\n${end}\n`);
  }

  /** Markdown on the page of the workflow run. */
  summary(markdown: string): void {
    this.append('GITHUB_STEP_SUMMARY', `${this.clean(markdown)}\n`);
  }

  private command(name: string, text: string): void {
    this.write(`::${name}::${escapeData(this.clean(text))}\n`);
  }

  private append(variable: string, text: string): void {
    const file = this.env[variable] ?? '';
    if (file === '') throw new ActionFailure(`${variable} is not set: is this a step of GitHub Actions?`);
    appendFileSync(file, text);
  }

  private clean(text: string): string {
    let cleaned = text;
    for (const secret of this.secrets) cleaned = cleaned.replaceAll(secret, '***');
    return cleaned;
  }
}

/** The value of a workflow command; source: the toolkit's documentation of commands. */
function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}
