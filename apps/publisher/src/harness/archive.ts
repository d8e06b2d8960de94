import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { extract, type Header } from 'tar-stream';

export interface ArchiveEntry {
  readonly header: Header;
  readonly text: string;
}

/** The entries of a .tar.gz, by name, in their order. */
export async function entriesOf(archive: Buffer): Promise<Map<string, ArchiveEntry>> {
  const entries = new Map<string, ArchiveEntry>();
  for await (const entry of Readable.from([gunzipSync(archive)]).pipe(extract())) {
    entries.set(entry.header.name, { header: entry.header, text: (await buffer(entry)).toString() });
  }
  return entries;
}
