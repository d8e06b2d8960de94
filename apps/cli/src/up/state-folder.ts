import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { ExitError } from '../output';

interface ChildRecord {
  readonly pid: number;
  /** Start time in clock ticks since boot: a pid that was given to another process has another one. */
  readonly started: string;
}

/** `.assay/`: what a local deployment keeps between two starts, and the note of who is running. */
export class StateFolder {
  readonly secrets: string;
  readonly logs: string;
  readonly artifacts: string;
  readonly work: string;
  private children: ChildRecord[] = [];

  constructor(readonly dir: string) {
    this.secrets = join(dir, 'secrets');
    this.logs = join(dir, 'logs');
    this.artifacts = join(dir, 'artifacts');
    this.work = join(dir, 'work');
    for (const folder of [this.dir, this.logs, this.artifacts, this.work]) mkdirSync(folder, { recursive: true });
    mkdirSync(this.secrets, { recursive: true, mode: 0o700 });
    chmodSync(this.secrets, 0o700);
  }

  /** A file with a secret of 32 random bytes, made once; only its owner can read it. */
  secret(name: string, value?: string): string {
    const file = join(this.secrets, name);
    if (value !== undefined || !existsSync(file)) {
      const aside = `${file}.new`;
      writeFileSync(aside, value ?? randomBytes(32).toString('hex'), { mode: 0o600 });
      renameSync(aside, file);
    }
    return file;
  }

  /**
   * Takes the folder for this process. Ends what an earlier start that was killed left running.
   * Throws ExitError when another start is alive.
   */
  lock(): void {
    const [held] = this.records('up.json');
    if (held !== undefined && startedOf(held.pid) === held.started) {
      throw new ExitError(1, `Assay is running from this folder already (pid ${held.pid}); stop it first`);
    }
    for (const child of this.records('children.json')) {
      if (startedOf(child.pid) === child.started) killGroup(child.pid);
    }
    awaitEnds(this.records('children.json'));
    if (this.records('children.json').length > 0) killStrays(`=${this.work}/`);
    const started = startedOf(process.pid);
    writeFileSync(join(this.dir, 'up.json'), JSON.stringify([{ pid: process.pid, started }]));
    this.writeChildren();
  }

  /** Notes a child, so that the next start can end it should this process be killed. */
  note(pid: number): void {
    const started = startedOf(pid);
    if (started === null) return;
    this.children.push({ pid, started });
    this.writeChildren();
  }

  unlock(): void {
    for (const file of ['up.json', 'children.json']) rmSync(join(this.dir, file), { force: true });
  }

  private writeChildren(): void {
    const file = join(this.dir, 'children.json');
    writeFileSync(`${file}.new`, JSON.stringify(this.children));
    renameSync(`${file}.new`, file);
  }

  private records(name: string): ChildRecord[] {
    const file = join(this.dir, name);
    if (!existsSync(file)) return [];
    try {
      return JSON.parse(readFileSync(file, 'utf8')) as ChildRecord[];
    } catch {
      return []; // half-written by a process that was killed: it names nobody
    }
  }
}

/** Null when there is no such process (or no /proc to ask). */
function startedOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? null : (fields[19] ?? null);
  } catch {
    return existsSync('/proc/self/stat') ? null : String(aliveWithoutProc(pid));
  }
}

function aliveWithoutProc(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Commands of sandboxes have sessions of their own and outlive a killed executor: their environment tells whose they are. */
function killStrays(mark: string): void {
  if (!existsSync('/proc/self/environ')) return;
  for (const name of readdirSync('/proc')) {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === process.pid) continue;
    if (environOf(pid).includes(mark)) killGroup(pid);
  }
}

/** Empty for a process that is gone or not ours to look at. */
function environOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1');
  } catch {
    return '';
  }
}

const END_MS = 5_000;

/** Waits until killed processes are gone: a server of ours must not find the one before it still there. */
function awaitEnds(children: readonly ChildRecord[]): void {
  const deadline = Date.now() + END_MS;
  const cell = new Int32Array(new SharedArrayBuffer(4));
  while (Date.now() < deadline && children.some(({ pid, started }) => startedOf(pid) === started)) {
    Atomics.wait(cell, 0, 0, 20);
  }
}

function killGroup(pid: number): void {
  for (const target of [-pid, pid]) {
    try {
      process.kill(target, 'SIGKILL');
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}

/** Log files of an earlier start, so that a start begins with empty ones. */
export function clearLogs(dir: string): void {
  for (const file of readdirSync(dir)) rmSync(join(dir, file), { force: true });
}
