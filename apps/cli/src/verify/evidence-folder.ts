import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { KeyObject } from 'node:crypto';
import { RunResult, RunView } from '@assay/contracts';
import { Envelope, Statement, type Verdict, verifyEvidence } from '@assay/evidence';
import { z } from 'zod';
import { UsageError } from '../output';
import { foundFile, foundText } from './found-file';

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
    throw new UsageError(await nothingThere(path, folder, isFolder));
  }
  return Promise.all(wanted.map((name) => verified(folder, name, trusted)));
}

/** Why there is nothing: an export holds what the server has, and the statement is made for the release alone. */
async function nothingThere(path: string, folder: string, isFolder: boolean): Promise<string> {
  const missing = `nothing to verify: expected a signed statement (*${STATEMENT_SUFFIX}) ${isFolder ? 'in' : 'beside'} ${path}`;
  const status = await foundText(join(folder, 'status.json'));
  const exported = ExportedStatus.safeParse('text' in status ? jsonOf(status.text) : undefined);
  if (!exported.success) return missing;
  const { release, publicationState } = exported.data;
  if (release === null)
    return `${missing}; it is the export of a run without a release: nothing was published or signed`;
  const address = `${release.repository}@${release.tag}`;
  return publicationState === 'PUBLISHED'
    ? `${missing}; it is an export, and the statement is on the release: assay verify ${address}`
    : `${missing}; it is the export of a run that is not on its release ${address} (${publicationState}): nothing was signed`;
}

/** Of the file that `assay export` writes, what says where a statement would be. */
const ExportedStatus = z.object({ release: RunView.shape.release, publicationState: RunView.shape.publicationState });

async function signing(file: string, folder: string, statements: readonly string[]): Promise<string[]> {
  if (statements.includes(file)) return [file];
  const found = await Promise.all(statements.map((name) => foundText(join(folder, name))));
  const subjects = found.map((one) => ('text' in one ? subjectsOf(one.text) : []));
  return statements.filter((_, at) => subjects[at]?.includes(file) === true);
}

async function verified(folder: string, name: string, trusted: readonly KeyObject[]): Promise<Verified> {
  const envelope = await foundText(join(folder, name));
  if ('trouble' in envelope) {
    const findings = [{ about: 'statement' as const, message: `${name} ${envelope.trouble}` }];
    return { name, result: null, statement: null, signedBy: null, warnings: [], findings };
  }
  const there = new Set(await readdir(folder));
  const subjects = subjectsOf(envelope.text).filter((subject) => there.has(subject));
  const files = await Promise.all(subjects.map((subject) => foundFile(join(folder, subject), subject)));
  const result = subjects.find((subject) => subject.endsWith('.json')) ?? null;
  const read = result === null ? null : await foundText(join(folder, result));
  // What cannot be read as a file is a finding already.
  const found = result === null || read === null || 'trouble' in read ? null : { name: result, text: read.text };
  return {
    name,
    result: found === null ? null : (RunResult.safeParse(jsonOf(found.text)).data ?? null),
    ...verifyEvidence({ envelope: envelope.text, files, result: found }, trusted),
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

function jsonOf(content: string): unknown {
  try {
    return JSON.parse(content) as unknown;
  } catch {
    return undefined;
  }
}
