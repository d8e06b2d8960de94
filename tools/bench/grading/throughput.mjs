import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { officialPython } from './official.mjs';

const WANTED_RATIO = 5;
const WANTED_MB = 300;
const beside = (name) => fileURLToPath(new URL(name, import.meta.url));

/** Grades the logs in turns by both. Returns what is not as wanted, one sentence each. */
export async function measureThroughput(logs, rounds) {
  if (logs.length === 0) {
    process.stdout.write('throughput: not measured without real logs\n');
    return [];
  }
  const { python, missing } = officialPython();
  if (missing !== undefined) process.stdout.write(`throughput: ours alone, for want of ${missing}\n`);
  const folder = await mkdtemp(join(tmpdir(), 'assay-bench-grading-'));
  try {
    const bytes = await writeLogs(folder, logs);
    const ours = new Grader(process.execPath, [beside('ours.mjs'), folder]);
    const official = python === undefined ? null : new Grader(python, ['-B', beside('official.py'), folder]);
    for (let round = 0; round < rounds; round += 1) {
      await ours.pass();
      await official?.pass();
    }
    return report({ logs: logs.length, bytes, ours: await ours.end(), official: (await official?.end()) ?? null });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** As the harness leaves them: each log a file, and what of its row decides. Returns the bytes of all logs. */
async function writeLogs(folder, logs) {
  let bytes = 0;
  for (const [index, { log }] of logs.entries()) {
    bytes += Buffer.byteLength(log);
    await writeFile(join(folder, `${index}.log`), log);
  }
  const rows = logs.map(({ instance_id, FAIL_TO_PASS, PASS_TO_PASS, log_parser, eval_type }) => {
    return { instance_id, FAIL_TO_PASS, PASS_TO_PASS, log_parser, eval_type };
  });
  await writeFile(join(folder, 'rows.json'), JSON.stringify(rows));
  return bytes;
}

/** A process that grades all logs once for every line that it is given. */
class Grader {
  #seconds = [];

  constructor(command, args) {
    this.child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    this.lines = createInterface({ input: this.child.stdout })[Symbol.asyncIterator]();
  }

  async pass() {
    this.child.stdin.write('\n');
    this.#seconds.push((await this.#answer()).seconds);
  }

  async end() {
    this.child.stdin.end();
    return { ...(await this.#answer()), first: this.#seconds[0], fastest: Math.min(...this.#seconds) };
  }

  async #answer() {
    const { value, done } = await this.lines.next();
    if (done) throw new Error(`${this.child.spawnfile} ended before its answer`);
    return JSON.parse(value);
  }
}

function report({ logs, bytes, ours, official }) {
  const line = (name, { fastest, first }) =>
    `${name.padEnd(24)} ${(logs / fastest).toFixed(0).padStart(7)} logs/s ${(bytes / fastest / 1e6).toFixed(1).padStart(7)} MB/s` +
    `   a pass ${fastest.toFixed(3)} s (the first ${first.toFixed(3)} s)\n`;
  process.stdout.write(`throughput: ${logs} logs, ${(bytes / 1e6).toFixed(1)} MB\n`);
  process.stdout.write(line('ours', ours));
  process.stdout.write(`${'peak memory of ours'.padEnd(24)} ${ours.peakMb.toFixed(0).padStart(7)} MB\n`);
  const complaints = ours.peakMb < WANTED_MB ? [] : [`a peak of ${ours.peakMb.toFixed(0)} MB, want under ${WANTED_MB}`];
  if (official === null) return complaints;
  const ratio = official.fastest / ours.fastest;
  const different = ours.answers.filter((answer, at) => String(answer) !== String(official.answers[at])).length;
  process.stdout.write(line('official, swebench 5.0.2', official));
  process.stdout.write(`${'ratio'.padEnd(24)} ${ratio.toFixed(1).padStart(7)}\n`);
  process.stdout.write(`${'same verdict'.padEnd(24)} ${String(logs - different).padStart(7)} of ${logs}\n\n`);
  if (ratio < WANTED_RATIO) complaints.push(`${ratio.toFixed(1)} times the official throughput, want ${WANTED_RATIO}`);
  if (different > 0) complaints.push(`${different} verdicts differ`);
  return complaints;
}
