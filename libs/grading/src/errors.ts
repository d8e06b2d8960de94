/**
 * A log on which the official code raises an exception, so that it writes no report and counts the instance as an error.
 * The only error that grading throws beside UnknownParserError.
 */
export class LogParserError extends Error {
  override readonly name = 'LogParserError';
}

/** A `log_parser` that is not there. Its message names it and those that are. */
export class UnknownParserError extends Error {
  override readonly name = 'UnknownParserError';

  constructor(
    readonly parser: string,
    known: readonly string[],
  ) {
    super(`unknown log parser "${parser}"; known are ${known.join(', ')}`);
  }
}
