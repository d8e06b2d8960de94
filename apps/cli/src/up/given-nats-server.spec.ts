import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const embedded = import('@assay-tools/embedded/nats');
const givenNatsServer = async (env: NodeJS.ProcessEnv) => (await embedded).givenNatsServer(env);

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'assay-given-nats-'));
});
afterEach(() => {
  rmSync(dir, { recursive: true, force: true });
});

/** A program that prints this for `--version`. */
function program(says: string, mode = 0o755): string {
  const file = join(dir, 'server');
  writeFileSync(file, `#!/bin/sh\necho '${says}'\n`);
  chmodSync(file, mode);
  return file;
}
const refusal = async (binary: string): Promise<string> => {
  const error = await givenNatsServer({ ASSAY_NATS_SERVER: binary }).catch((caught: unknown) => caught);
  if (error instanceof Error) return error.message;
  throw new Error('expected a refusal');
};

test('not set, or set to nothing, means that others are looked for', async () => {
  expect(await givenNatsServer({})).toBeNull();
  expect(await givenNatsServer({ ASSAY_NATS_SERVER: '' })).toBeNull();
});

test('one that is new enough is taken', async () => {
  const binary = program('nats-server: v2.10.4');
  expect(await givenNatsServer({ ASSAY_NATS_SERVER: binary })).toEqual({ binary, version: '2.10.4' });
});

test('one that does not work is refused by variable, value and expectation', async () => {
  const line = (binary: string, reason: string): string =>
    `ASSAY_NATS_SERVER: expected the path of a nats-server 2.9.10 or newer, got "${binary}" (${reason})`;
  expect(await refusal('/nowhere/nats')).toBe(line('/nowhere/nats', 'spawn /nowhere/nats ENOENT'));
  expect(await refusal(dir)).toBe(line(dir, `spawn ${dir} EACCES`));
  const old = program('nats-server: v2.8.4');
  expect(await refusal(old)).toBe(line(old, 'it is 2.8.4'));
  chmodSync(old, 0o644);
  expect(await refusal(old)).toBe(line(old, `spawn ${old} EACCES`));
  const other = program('something else 9.9.9');
  expect(await refusal(other)).toBe(line(other, `${other} --version said: something else 9.9.9`));
});

test('nothing else takes the place of one that does not work', async () => {
  const before = process.env['ASSAY_NATS_SERVER'];
  process.env['ASSAY_NATS_SERVER'] = '/nowhere/nats';
  try {
    const { findNatsServer } = await embedded;
    await expect(findNatsServer()).rejects.toThrow(/^ASSAY_NATS_SERVER: expected .*, got "\/nowhere\/nats"/);
  } finally {
    if (before === undefined) delete process.env['ASSAY_NATS_SERVER'];
    else process.env['ASSAY_NATS_SERVER'] = before;
  }
});
