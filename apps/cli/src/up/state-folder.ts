import { createHash, randomBytes } from 'node:crypto';
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
import { join, resolve } from 'node:path';
import { Namespace } from '@assay/contracts';
import { ensureKeyPair, type KeyPairFiles } from '../key-pair-files';
import { ADDRESS_FILE, TLS_FOLDER } from '../local-deployment';
import { ExitError } from '../output';
import { isAlive, killAll, killMarked, recordOf, until, type ProcessRecord } from './processes';

/** Who holds the folder. */
interface Holder extends ProcessRecord {
  /** It ends already, and gives the folder back in a moment. */
  readonly stopping?: boolean;
}

/** A start that is stopping gives its services 15 s and its servers 10 s. */
const STOPPING_MS = 40_000;

/** The namespace of the deployment whose state lies in this folder. */
export function namespaceOf(dir: string): Namespace {
  return Namespace.parse(`assay_${createHash('sha256').update(resolve(dir)).digest('hex').slice(0, 8)}`);
}

/** `.assay/`: what a local deployment keeps between two starts, and the note of who is running. */
export class StateFolder {
  readonly secrets: string;
  readonly logs: string;
  readonly artifacts: string;
  readonly work: string;
  /** Certificate and key of a dispatcher with TLS, which makes them. */
  readonly tls: string;
  /** Of this folder alone: two deployments of this machine share its Docker engine and must not touch each other there. */
  readonly namespace: Namespace;
  private children: ProcessRecord[] = [];

  constructor(readonly dir: string) {
    this.secrets = join(dir, 'secrets');
    this.logs = join(dir, 'logs');
    this.artifacts = join(dir, 'artifacts');
    this.work = join(dir, 'work');
    this.tls = join(dir, TLS_FOLDER);
    this.namespace = namespaceOf(dir);
    for (const folder of [this.dir, this.logs, this.artifacts, this.work]) mkdirSync(folder, { recursive: true });
    mkdirSync(this.secrets, { recursive: true, mode: 0o700 });
    chmodSync(this.secrets, 0o700);
  }

  /** A file with a secret of 32 random bytes, made once; only its owner can read it. */
  secret(name: string, value?: string): string {
    const file = join(this.secrets, name);
    if (value !== undefined || !existsSync(file)) {
      this.write(join('secrets', name), value ?? randomBytes(32).toString('hex'), 0o600);
    }
    return file;
  }

  /** A file of this folder with this text. Returns its path. */
  file(name: string, text: string): string {
    this.write(name, text);
    return join(this.dir, name);
  }

  /** The pair of keys that results are signed with and checked by, made once. */
  signingKey(): KeyPairFiles {
    const files = { privateFile: join(this.secrets, 'signing-key'), publicFile: join(this.dir, 'signing-key.pub') };
    ensureKeyPair(files);
    return files;
  }

  /**
   * Takes the folder for this process. Waits for a start that is stopping, and ends what one that was killed left
   * running. Throws ExitError when another start is alive.
   */
  async take({ note, signal }: { note: (line: string) => void; signal: AbortSignal }): Promise<void> {
    let [holder] = this.holders();
    if (holder?.stopping === true && isAlive(holder)) {
      const before = holder;
      note(`an earlier start (pid ${before.pid}) is stopping: waiting for its end`);
      const given = (): boolean => this.holders()[0]?.pid !== before.pid || !isAlive(before);
      await until(() => signal.aborted || given(), STOPPING_MS);
      signal.throwIfAborted();
      [holder] = this.holders();
    }
    if (holder !== undefined && isAlive(holder)) {
      throw new ExitError(1, `Assay is running from this folder already (pid ${holder.pid}); stop it first`);
    }
    const left = this.records<ProcessRecord>('children.json');
    await killAll(left);
    if (left.length > 0) this.endStrays();
    this.hold(false);
    this.writeChildren();
  }

  /** Tells a start that comes now that it needs to wait, not to give up. */
  noteStopping(): void {
    this.hold(true);
  }

  /** Notes a child, so that the next start can end it should this process be killed. */
  note(pid: number): void {
    const child = recordOf(pid);
    if (child === null) return;
    this.children.push(child);
    this.writeChildren();
  }

  /** Gives the folder back, when all children have ended. */
  release(): void {
    this.endStrays();
    for (const file of ['up.json', 'children.json', ADDRESS_FILE]) rmSync(join(this.dir, file), { force: true });
  }

  /** The numbers of a file of this folder by name; none where it is not there or unreadable. */
  numbers(file: string): Readonly<Record<string, number>> {
    return (this.parsed(file) ?? {}) as Readonly<Record<string, number>>;
  }

  /** Writes a file of this folder in one step, so that nobody ever reads half of it. */
  write(file: string, text: string, mode = 0o644): void {
    const path = join(this.dir, file);
    writeFileSync(`${path}.new`, text, { mode });
    renameSync(`${path}.new`, path);
  }

  private hold(stopping: boolean): void {
    const us = recordOf(process.pid);
    this.write('up.json', JSON.stringify(us === null ? [] : [{ ...us, stopping }]));
  }

  private endStrays(): void {
    killMarked(`=${this.work}/`);
  }

  private writeChildren(): void {
    this.write('children.json', JSON.stringify(this.children));
  }

  private holders(): Holder[] {
    return this.records<Holder>('up.json');
  }

  private records<T extends ProcessRecord>(file: string): T[] {
    const parsed = this.parsed(file);
    return Array.isArray(parsed) ? (parsed as T[]) : [];
  }

  /** Null also for what a process that was killed left half-written: it names nobody. */
  private parsed(file: string): unknown {
    try {
      return JSON.parse(readFileSync(join(this.dir, file), 'utf8')) as unknown;
    } catch {
      return null;
    }
  }
}

/** Log files of an earlier start, so that a start begins with empty ones. */
export function clearLogs(dir: string): void {
  for (const file of readdirSync(dir)) rmSync(join(dir, file), { force: true });
}
