import { allRows } from '@assay/testing';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { TestDeployment } from './deployment';

/** A place where something is kept, and its whole text. */
export interface Kept {
  readonly place: string;
  readonly text: string;
}

/** All that a deployment keeps or says: logs, artifacts (unpacked), every row of the database, the release. */
export async function everythingKept(deployment: TestDeployment): Promise<Kept[]> {
  const logs = [...deployment.services].map(([name, { output }]) => ({ place: `log of ${name}`, text: output }));
  const artifacts = await filesBelow(join(deployment.dir, 'artifacts'));
  const github = { place: 'release', text: await readFile(join(deployment.dir, 'github.json'), 'latin1') };
  const rows = await allRows(deployment.servers.database.url);
  const stored = rows.map(({ table, text }) => ({ place: `table ${table}`, text }));
  return [...logs, ...artifacts, ...stored, github];
}

async function filesBelow(dir: string): Promise<Kept[]> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Promise.all(files.map(async (place) => ({ place, text: unpacked(await readFile(place)) })));
}

function unpacked(bytes: Buffer): string {
  const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b;
  return (isGzip ? gunzipSync(bytes) : bytes).toString('latin1');
}
