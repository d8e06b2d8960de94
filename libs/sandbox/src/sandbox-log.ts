/** Where sandboxes and what goes with them say what happens: a constant sentence, and fields. */
export interface SandboxLog {
  debug(fields: object, sentence: string): void;
  info(fields: object, sentence: string): void;
  warn(fields: object, sentence: string): void;
}

/** Says nothing. */
export const SILENT: SandboxLog = { debug: () => undefined, info: () => undefined, warn: () => undefined };
