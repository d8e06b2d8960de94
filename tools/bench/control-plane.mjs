#!/usr/bin/env node
/**
 * `npm run bench:control-plane`: how much time the pipeline itself takes for one instance, in three runs over one
 * PostgreSQL and one nats-server of its own.
 *
 *   npm run bench:control-plane [-- --instances 500 --slots 10 --only own|alone|real --profile DIR]
 *
 * How to read it:
 * - "the servers alone": a bare commit and a bare acknowledged publish, one after the other, on these servers at this
 *   moment. The limit is what the fewest that the protocol needs for one instance come to. Compare ratios to it, not
 *   milliseconds, between machines.
 * - "own time": the pipeline with nothing in it. Real coordinator, PostgreSQL and NATS; a driver process that claims,
 *   heartbeats, stores artifacts and sends results as executor and grader do, in that many slots each, whose trials and
 *   grades cost nothing. WALL TIME PER INSTANCE IS THE PIPELINE'S OWN TIME PER INSTANCE: what a run of many instances
 *   pays for each beside its trial. Aim: under 20 ms. The CPU lines say whose it is. Claim to terminal is long here,
 *   because all slots always have something to wait for: about (slots of trials and grades) times the wall time per
 *   instance, by Little's law.
 * - "own time, one at a time": the same with one slot and nothing else to do. Its claim to terminal is what a single
 *   instance waits for the pipeline, beside its trial and grade.
 * - "real trials": executor and grader as they are, agent `nop`, process sandbox. The trials, which start processes, keep
 *   the machine's cores busy, so its wall time per instance is that of trials; and its claim to terminal is, for the most
 *   part, a wait for one of the grader's two slots.
 * - CPU times hold what a fresh process pays to warm up: with fewer instances each of them seems to cost more.
 * - Memory is flat when the end is not far above the first quarter: before that a fresh process fills its heap. A run with
 *   more instances (--instances 2000) shows it better.
 */
import { parseArgs } from 'node:util';
import { ensureInstalled, inherit } from '../install/ensure.mjs';

const { values } = parseArgs({
  options: {
    instances: { type: 'string', default: '500' },
    slots: { type: 'string', default: '10' },
    only: { type: 'string' },
    profile: { type: 'string' },
  },
});
const instances = wholeNumber('instances', values.instances);
const slots = wholeNumber('slots', values.slots);
const parts = ['own', 'alone', 'real'];
if (values.only !== undefined && !parts.includes(values.only)) {
  refuse(`--only is "${values.only}", expected one of: ${parts.join(', ')}`);
}
const wanted = (part) => values.only === undefined || values.only === part;

await ensureInstalled();
await inherit('npx', ['nx', 'run-many', '-t', 'build', '--parallel=2', '--output-style=static'], {
  env: { ...process.env, NX_DAEMON: 'false', NX_TUI: 'false' },
  stdio: ['ignore', 'ignore', 'inherit'],
});
// These load what was just built or installed.
const { bareNumbers } = await import('./control-plane/bare.mjs');
const { measureOwnTime, ownTimeLines } = await import('./control-plane/own-time.mjs');
const { measureRealTrials, realTrialLines } = await import('./control-plane/real-trials.mjs');
const { Stack } = await import('./control-plane/stack.mjs');

const stack = await Stack.start({ instances, profileDir: values.profile });
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => stack.break(new Error(`stopped by ${signal}`)));
try {
  const bare = await bareNumbers({ postgresUrl: stack.postgres.url, natsUrl: stack.nats.url });
  print('the servers alone', [
    ['a bare commit', `${bare.commitMs.toFixed(2)} ms`],
    ['a bare acknowledged publish', `${bare.publishMs.toFixed(2)} ms`],
    [`limit: ${bare.name}`, `${bare.limitMs.toFixed(2)} ms`],
  ]);
  await stack.service('coordinator');
  await stack.service('dispatcher');
  if (wanted('own')) {
    print('own time', ownTimeLines(await measureOwnTime(stack, { instances, slots }), bare));
  }
  if (wanted('alone')) {
    const few = Math.min(instances, 100);
    print('own time, one at a time', ownTimeLines(await measureOwnTime(stack, { instances: few, slots: 1 }), bare));
  }
  if (wanted('real')) {
    print('real trials', realTrialLines(await measureRealTrials(stack, { instances, slots }), bare));
  }
} finally {
  await stack.stop();
}

function print(title, lines) {
  const text = lines.map(([name, value]) => `  ${name.padEnd(42)}${value}\n`);
  process.stdout.write(`${title}\n${text.join('')}`);
}

function wholeNumber(name, text) {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) refuse(`--${name} is "${text}", expected a whole number of at least 1`);
  return value;
}

function refuse(message) {
  process.stderr.write(`bench:control-plane: ${message}\n`);
  process.exit(2);
}
