/** Why the release was not handed over, in words for the person who reads the job's log. */
export class ActionFailure extends Error {
  override readonly name: string = 'ActionFailure';
}

/** What another try may mend: no connection, a time-out, a busy or broken server. */
export class PassingFailure extends ActionFailure {
  override readonly name = 'PassingFailure';

  constructor(
    message: string,
    /** What the server asked for; null: nothing. */
    readonly retryAfterSeconds: number | null = null,
  ) {
    super(message);
  }
}
