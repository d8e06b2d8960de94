/** Where this library tells what happened: one constant sentence and fields. A pino logger is one. */
export interface EventLog {
  debug(fields: object, sentence: string): void;
  info(fields: object, sentence: string): void;
  warn(fields: object, sentence: string): void;
  error(fields: object, sentence: string): void;
}
