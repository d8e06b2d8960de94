import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { KeyObject } from 'node:crypto';
import { RunResult } from '@assay/contracts';
import { Envelope, Statement, type Subject, type Verdict, verifyEvidence } from '@assay/evidence';
import { UsageError } from '../output';

/** How the file of a signed statement ends. */
export const STATEMENT_SUFFIX = '.intoto.json';

/** What became of one signed statement. */
export interface Verified extends Verdict {
  /** The statement's file name. */
  readonly name: string;
  /** The result among the files; null where there is none that can be read. */
  readonly result: RunResult | null;
}

/**
 * Checks the signed statements that the path names: of a folder all; of a statement itself; of another file those beside it
 * that sign it. Files that are signed are read as streams, so their size does not matter.
 * @throws UsageError where there is nothing to check
 */
export async function verifyPath(path: string, trusted: readonly KeyObject[]): Promise<Verified[]> {
  const isFolder = (await stat(path)).isDirectory();
  const folder = isFolder ? path : dirname(path);
  const statements = (await readdir(folder)).filter((name) => name.endsWith(STATEMENT_SUFFIX)).sort();
  const wanted = isFolder ? statements : await signing(basename(path), folder, statements);
  if (wanted.length === 0) {
    throw new UsageError(
      `nothing to verify: expected a signed statement (*${STATEMENT_SUFFIX}) ${isFolder ? 'in' : 'beside'} ${path}`,
    );
  }
  return Promise.all(wanted.map((name) => verified(folder, name, trusted)));
}

async function signing(file: string, folder: string, statements: readonly string[]): Promise<string[]> {
  if (statements.includes(file)) return [file];
  const subjects = await Promise.all(statements.map(async (name) => subjectsOf(await text(folder, name))));
  return statements.filter((_, at) => subjects[at]?.includes(file) === true);
}

async function verified(folder: string, name: string, trusted: readonly KeyObject[]): Promise<Verified> {
  const envelope = await text(folder, name);
  const there = new Set(await readdir(folder));
  const subjects = subjectsOf(envelope).filter((subject) => there.has(subject));
  const files = await Promise.all(subjects.map((subject) => hashed(folder, subject)));
  const result = subjects.find((subject) => subject.endsWith('.json')) ?? null;
  const found = result === null ? null : { name: result, text: await text(folder, result) };
  return {
    name,
    result: found === null ? null : (RunResult.safeParse(jsonOf(found.text)).data ?? null),
    ...verifyEvidence({ envelope, files, result: found }, trusted),
  };
}

/** File names only: a statement that nobody has checked yet must not lead out of the folder. */
function subjectsOf(envelope: string): string[] {
  const { success, data } = Envelope.safeParse(jsonOf(envelope));
  if (!success) return [];
  const statement = Statement.safeParse(jsonOf(Buffer.from(data.payload, 'base64').toString('utf8')));
  if (!statement.success) return [];
  return statement.data.subject.map(({ name }) => name).filter((name) => name === basename(name));
}

async function hashed(folder: string, name: string): Promise<Subject> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(join(folder, name))) hash.update(chunk as Buffer);
  return { name, sha256: hash.digest('hex') };
}

function text(folder: string, name: string): Promise<string> {
  return readFile(join(folder, name), 'utf8');
}

function jsonOf(content: string): unknown {
  try {
    return JSON.parse(content) as unknown;
  } catch {
    return undefined;
  }
}
