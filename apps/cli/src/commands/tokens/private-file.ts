import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { UsageError } from '../../output';

/** A new file that nobody else can read (mode 0600). */
export class PrivateFile {
  private constructor(
    readonly path: string,
    private readonly handle: number,
  ) {}

  /** @throws UsageError where there is one already, or none can be made */
  static create(path: string): PrivateFile {
    try {
      return new PrivateFile(path, openSync(path, 'wx', 0o600));
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      const reason = code === 'EEXIST' ? 'expected a file that is not there yet' : message;
      throw new UsageError(`--out ${path}: ${reason}`);
    }
  }

  write(text: string): void {
    writeSync(this.handle, text);
    closeSync(this.handle);
  }

  /** Takes back what was made in vain. */
  remove(): void {
    closeSync(this.handle);
    rmSync(this.path, { force: true });
  }
}
