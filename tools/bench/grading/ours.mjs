/** As official.py, by the built library; its last line tells the peak of this process's memory too. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { root } from '../../install/ensure.mjs';

const { gradeLog } = createRequire(import.meta.url)(join(root, 'libs/grading/dist/index.js'));
const folder = process.argv[2];
const rows = JSON.parse(readFileSync(join(folder, 'rows.json'), 'utf8'));

let answers = [];
for await (const _ of createInterface({ input: process.stdin })) {
  const started = performance.now();
  answers = rows.map((row, index) => {
    const log = readFileSync(join(folder, `${index}.log`), 'utf8');
    const { found, resolution } = gradeLog({ ...row, log, model_patch: 'patch' });
    return [found, resolution];
  });
  process.stdout.write(`${JSON.stringify({ seconds: (performance.now() - started) / 1000 })}\n`);
}
process.stdout.write(`${JSON.stringify({ answers, peakMb: process.resourceUsage().maxRSS / 1024 })}\n`);
