import { createReadStream, existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createGunzip } from 'node:zlib';
import { root } from '../../install/ensure.mjs';

const FILE = join(root, '../shared/data/swebench/graded-logs.jsonl.gz');

/** The graded logs that lie beside the checkout, `{instance_id, log, log_parser, …}`; none, and a word, where they do not. */
export async function gradedLogs() {
  if (!existsSync(FILE)) {
    process.stdout.write(`no ${FILE}: a few made-up lines stand in for real logs\n`);
    return [];
  }
  const logs = [];
  const input = createReadStream(FILE).pipe(createGunzip());
  for await (const line of createInterface({ input, crlfDelay: Infinity })) logs.push(JSON.parse(line));
  return logs;
}
