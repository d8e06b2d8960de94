import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './deployment';
import { KeptPorts } from './kept-ports';
import { StateFolder } from './state-folder';

let dir: string;
let notes: string[];
let taken: Server | null;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'assay-ports-'));
  notes = [];
  taken = null;
});
afterEach(() => {
  taken?.close();
  rmSync(dir, { recursive: true, force: true });
});

/** The ports of a start: each start has an object of its own. */
const started = (): KeptPorts => new KeptPorts(new StateFolder(dir), freePort, (line) => notes.push(line));

test('a port is the same after a restart, and another name has another', async () => {
  const port = await started().portOf('github', 'the stand-in of GitHub');
  const other = await started().portOf('model', 'the stand-in of a model');
  expect(other).not.toBe(port);
  expect(await started().portOf('github', 'the stand-in of GitHub')).toBe(port);
  expect(await started().portOf('model', 'the stand-in of a model')).toBe(other);
  expect(notes).toEqual([]);
});

test('one that is taken is replaced for good, and a line says so', async () => {
  taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address() as AddressInfo;
  writeFileSync(join(dir, 'ports.json'), JSON.stringify({ github: port }));
  const now = await started().portOf('github', 'the stand-in of GitHub');
  expect(now).not.toBe(port);
  expect(notes).toEqual([
    `port ${port} of the stand-in of GitHub is taken: it is on ${now} now, and earlier addresses of it no longer lead there`,
  ]);
  expect(await started().portOf('github', 'the stand-in of GitHub')).toBe(now);
});

test.each(['', '{"github":', '{"github":"x"}', '{"github":99999}'])('a note that is %j stops nobody', async (text) => {
  writeFileSync(join(dir, 'ports.json'), text);
  expect(await started().portOf('github', 'the stand-in of GitHub')).toBeGreaterThan(0);
});
