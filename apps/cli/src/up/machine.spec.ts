import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ExitError } from '../output';
import { onThisMachine } from './machine';
import { portIsFree } from './preflight';
import { StateFolder } from './state-folder';

const HOLDER = `const server = require('node:net').createServer().listen(0, '127.0.0.1', () => process.stdout.write(String(server.address().port)))`;

test('a port that only a process of a killed start holds is free for the next start', async () => {
  const stateDir = mkdtempSync(join(tmpdir(), 'assay-machine-'));
  const orphan = spawn(process.execPath, ['-e', HOLDER], { detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
  try {
    const [line] = (await once(orphan.stdout, 'data')) as [Buffer];
    const port = Number(line.toString());
    await expect(portIsFree(port)).rejects.toThrow(`port ${port} is taken: give another with --port`);
    // What a start that was killed leaves: the note of its child, and nobody who holds the folder.
    new StateFolder(stateDir).note(orphan.pid ?? 0);
    const enough = new ExitError(1, 'as far as this test goes');
    const start = onThisMachine(
      { stateDir, beforeStart: () => portIsFree(port), chooseSandbox: () => Promise.reject(enough) },
      () => Promise.reject(new Error('nothing is to be started')),
    );
    await expect(start).rejects.toThrow(enough);
  } finally {
    orphan.kill('SIGKILL');
    rmSync(stateDir, { recursive: true, force: true });
  }
});
