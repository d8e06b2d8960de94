import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { requireNew } from '../../path-option';

/** A new file that nobody else can read (mode 0600). */
export class PrivateFile {
  private constructor(
    readonly path: string,
    private readonly handle: number,
  ) {}

  /** @throws UsageError where there is one already, or none can be made */
  static create(path: string): PrivateFile {
    requireNew('--out', path);
    return new PrivateFile(path, openSync(path, 'wx', 0o600));
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
