/** Grades logs of rising sizes: `one-size.mjs PARSER BODY 1,10,100`, real lines on stdin. Answers {times, peakMb}. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { root } from '../../install/ensure.mjs';

const { gradeLog } = createRequire(import.meta.url)(join(root, 'libs/grading/dist/index.js'));
const [log_parser, body, sizes] = process.argv.slice(2);
const real = readFileSync(0);

/** Bytes of a log's body; `real` is all that a real log could hold. */
function bodyOf(size) {
  switch (body) {
    case 'real lines':
      return Buffer.alloc(size, real);
    case 'other tests':
      return Buffer.from(otherTests(size));
    case 'only \\n':
      return Buffer.alloc(size, '\n');
    case 'only \\r':
      return Buffer.alloc(size, '\r');
    case 'one line':
      return Buffer.alloc(size, real.toString().replace(/[\r\n]/g, ' '));
    default:
      throw new Error(`body is "${body}"`);
  }
}

/** One line for each of very many tests, none named twice. */
function otherTests(size) {
  const lines = [];
  for (let length = 0, test = 0; length < size; test += 1) {
    const name = `tests/test_module.py::TestClass::test_name[parameter-${test}]`;
    const line = { parse_log_django: `${name} (m.T) ... ok\n`, parse_log_sympy: `test_${name} ok\n` }[log_parser];
    lines.push(line ?? `PASSED ${name}\n`);
    length += lines.at(-1).length;
  }
  return lines.join('');
}

function logOf(size) {
  return Buffer.concat([
    Buffer.from('>>>>> Start Test Output\n'),
    bodyOf(size),
    Buffer.from('\n>>>>> End Test Output\n'),
  ]).toString();
}

function costOf(size) {
  const log = logOf(size);
  const [before, started] = [process.cpuUsage(), performance.now()];
  gradeLog({ log, log_parser, eval_type: 'pass_and_fail', FAIL_TO_PASS: ['a[x'], PASS_TO_PASS: ['b'] });
  const wall = performance.now() - started;
  const { user, system } = process.cpuUsage(before);
  return { wall, own: (user + system) / 1000 };
}

// The first call compiles; it does not count.
costOf(1e6);
const times = sizes.split(',').map((megabytes) => costOf(Number(megabytes) * 1e6));
process.stdout.write(JSON.stringify({ times, peakMb: process.resourceUsage().maxRSS / 1024 }));
