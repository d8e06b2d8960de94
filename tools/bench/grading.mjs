#!/usr/bin/env node
/**
 * `npm run bench:grading`: how fast and in how much memory logs are graded.
 *
 *   npm run bench:grading [-- --rounds 9 --only throughput|sizes]
 *
 * How to read it:
 * - "throughput": the logs of ../shared/data/swebench, written to files, are graded by us (the built library, one process)
 *   and by the official package swebench 5.0.2 (its own code, one process, installed into a throw-away folder) in turns.
 *   Both read each log from its file and make its statuses, verdict and report. A round is one pass over all logs; the
 *   fastest of each counts, for neighbours on the machine only ever slow one down. Where the answers differ, it fails. Want: at least 5 times the official throughput, a peak of
 *   memory under 300 MB.
 * - "sizes": for every parser, logs of 1, 10 and 100 MB, in a process of their own: real lines of that parser's logs, over
 *   and over; real lines of which each names another test; and what is bad for a reader of lines: nothing but `\n`, nothing
 *   but `\r`, one line. "own" is the CPU time of 100 MB, in which neighbours on the machine do not count, and growth is how
 *   often it holds that of 10 MB; 10 is linear. Want: 100 MB within 5 s of it and 1 GB.
 *
 * Ends with 1 where it is not as wanted. Without the data or the package it says so and shows the rest.
 */
import { parseArgs } from 'node:util';
import { ensureInstalled, inherit } from '../install/ensure.mjs';
import { gradedLogs } from './grading/data.mjs';
import { measureSizes } from './grading/sizes.mjs';
import { measureThroughput } from './grading/throughput.mjs';

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '9' }, only: { type: 'string' } } });
const parts = ['throughput', 'sizes'];
const rounds = Number(values.rounds);
if (!Number.isInteger(rounds) || rounds < 1) refuse(`--rounds is "${values.rounds}", expected a whole number from 1`);
if (values.only !== undefined && !parts.includes(values.only)) {
  refuse(`--only is "${values.only}", expected one of: ${parts.join(', ')}`);
}
const wanted = (part) => values.only === undefined || values.only === part;

await ensureInstalled();
await inherit('npx', ['nx', 'run', 'grading:build', '--output-style=static'], {
  env: { ...process.env, NX_DAEMON: 'false', NX_TUI: 'false' },
  stdio: ['ignore', 'ignore', 'inherit'],
});

const logs = await gradedLogs();
const complaints = [];
if (wanted('throughput')) complaints.push(...(await measureThroughput(logs, rounds)));
if (wanted('sizes')) complaints.push(...(await measureSizes(logs)));
for (const complaint of complaints) process.stdout.write(`NOT AS WANTED: ${complaint}\n`);
if (complaints.length > 0) process.exitCode = 1;

function refuse(message) {
  process.stderr.write(`${message}\n`);
  process.exit(2);
}
