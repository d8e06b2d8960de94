import { closeSync, openSync, writeSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { type BlamedError, classify, InfraError, TaskError } from '@assay/failures';

/** No log is longer: it is decoded and parsed in memory. Bytes. */
export const MAX_LOG_BYTES = 268_435_456;

/**
 * The log of a grade, byte for byte, in a file of the host. Writing never throws, because it happens inside the sandbox's
 * output callback: a full disk or a log without end raises `stop`, and `settle` throws what happened.
 */
export class GradeLog {
  private readonly fd: number;
  private readonly stopping = new AbortController();
  private size = 0;
  private trouble: BlamedError | null = null;

  constructor(
    readonly file: string,
    private readonly maxBytes = MAX_LOG_BYTES,
  ) {
    this.fd = openSync(file, 'wx');
  }

  /** Aborted when the log cannot take more: the tests must end then. */
  get stop(): AbortSignal {
    return this.stopping.signal;
  }

  readonly write = (chunk: Buffer): void => {
    if (this.trouble !== null) return;
    try {
      const kept = chunk.subarray(0, this.maxBytes - this.size);
      for (let at = 0; at < kept.length;) at += writeSync(this.fd, kept, at);
      this.size += kept.length;
      if (kept.length < chunk.length) this.fail(tooLarge(this.maxBytes));
    } catch (error) {
      this.fail(notWritten(error));
    }
  };

  /** @throws TaskError `log_too_large`, InfraError for what the disk said */
  settle(): void {
    if (this.trouble !== null) throw this.trouble;
  }

  /** The text so far, decoded as the harness does: UTF-8, what is malformed replaced. */
  async text(): Promise<string> {
    return (await readFile(this.file)).toString('utf8');
  }

  close(): void {
    closeSync(this.fd);
  }

  private fail(error: BlamedError): void {
    this.trouble = error;
    this.stopping.abort();
  }
}

function tooLarge(maxBytes: number): TaskError {
  return new TaskError(`the tests printed more than ${maxBytes} bytes`, {
    code: 'log_too_large',
    phase: 'grade',
    details: { maxBytes },
  });
}

function notWritten(cause: unknown): InfraError {
  const { code, message } = classify(cause, 'grade');
  return new InfraError(`the log cannot be written: ${message}`, { code, phase: 'grade', cause });
}
