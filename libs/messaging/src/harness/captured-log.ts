import type { EventLog } from '../event-log';

/** A log that keeps what it was told. */
export class CapturedLog implements EventLog {
  readonly lines: { level: string; sentence: string; fields: Record<string, unknown> }[] = [];

  debug = this.keep('debug');
  info = this.keep('info');
  warn = this.keep('warn');
  error = this.keep('error');

  has(sentence: string): boolean {
    return this.lines.some((line) => line.sentence === sentence);
  }

  private keep(level: string) {
    return (fields: object, sentence: string): void => {
      this.lines.push({ level, sentence, fields: fields as Record<string, unknown> });
    };
  }
}
