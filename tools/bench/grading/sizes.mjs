import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const WANTED_SECONDS = 5;
const WANTED_MB = 1024;
/** 10 is linear; the rest is for garbage collection, caches and neighbours on the machine. */
const WANTED_GROWTH = 20;
const MEGABYTES = [1, 10, 100];

const KINDS = ['pytest', 'pytest_options', 'pytest_v2', 'matplotlib', 'seaborn', 'sympy', 'django'];
/** Other names of the same parsers. */
const ALIASES = {
  pytest: ['astroid', 'flask', 'marshmallow', 'pvlib', 'pyvista', 'sqlfluff', 'xarray'],
  pytest_options: ['pydicom', 'requests', 'pylint'],
  pytest_v2: ['astropy', 'scikit', 'sphinx'],
};
const MADE_UP = 'PASSED a.py::t[x]\nFAILED b.py::u - Error\ntest_a ok\ntest_b (m.T) ... ok\nsome other output\n';
/** Enough real lines of a kind. */
const REAL_BYTES = 4_000_000;

/** How a log is made of a text: see log-body.mjs. */
const BODIES = ['real lines', 'other tests', 'only \\n', 'only \\r', 'one line'];

/** Grades a log of every kind and size. Returns what is not as wanted, one sentence each. */
export async function measureSizes(logs) {
  const complaints = [];
  const columns = ['sizes', 'body', '1 MB', '10 MB', '100 MB', 'own', 'growth', 'peak'];
  const widths = [16, 12, 9, 9, 9, 9, 8, 9];
  const print = (cells) =>
    process.stdout.write(
      `${cells.map((cell, at) => (at < 2 ? cell.padEnd(widths[at]) : cell.padStart(widths[at]))).join('')}\n`,
    );
  print(columns);
  for (const kind of KINDS) {
    for (const body of BODIES) {
      const { times, peakMb } = await measured(kind, body, textOf(kind, logs));
      const growth = times[2].own / times[1].own;
      const seconds = times[2].own / 1000;
      print([
        kind,
        body,
        ...times.map(({ wall }) => (wall < 1000 ? `${wall.toFixed(0)} ms` : `${(wall / 1000).toFixed(2)} s`)),
        `${seconds.toFixed(2)} s`,
        growth.toFixed(1),
        `${peakMb.toFixed(0)} MB`,
      ]);
      const name = `100 MB of ${body} for ${kind}`;
      if (seconds > WANTED_SECONDS) complaints.push(`${name}: ${seconds.toFixed(1)} s, want ${WANTED_SECONDS}`);
      if (peakMb > WANTED_MB) complaints.push(`${name}: ${peakMb.toFixed(0)} MB, want ${WANTED_MB}`);
      if (growth > WANTED_GROWTH) complaints.push(`${name}: ${growth.toFixed(1)} times 10 MB, want ${WANTED_GROWTH}`);
    }
  }
  return complaints;
}

/** Real lines of the logs that this parser reads. */
function textOf(kind, logs) {
  const names = [kind, ...(ALIASES[kind] ?? [])].map((name) => `parse_log_${name}`);
  let text = '';
  for (const { log, log_parser } of logs) {
    if (names.includes(log_parser) && text.length < REAL_BYTES) text += withoutMarkers(log);
  }
  return text === '' ? MADE_UP : text;
}

function withoutMarkers(log) {
  return log.replace(/^.*>>>>> .*\n/gm, '');
}

/** In a process of its own, whose peak of memory is that of the largest log. */
async function measured(kind, body, text) {
  const script = fileURLToPath(new URL('one-size.mjs', import.meta.url));
  const child = spawn(process.execPath, [script, `parse_log_${kind}`, body, MEGABYTES.join(',')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.end(text);
  let answer = '';
  child.stdout.on('data', (chunk) => (answer += chunk));
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`grading ${body} for ${kind} ended with exit ${code}`);
  return JSON.parse(answer);
}
