import { eventually, PROJECT_ROOT } from '@assay/testing';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

let dir: string;
const children: ChildProcess[] = [];
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'assay-start-'));
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  rmSync(dir, { recursive: true, force: true });
});

/** Runs an ES module's text; `FILE` in it is a file of this test. */
function program(text: string): { command: string; args: string[]; file: string } {
  const file = join(dir, 'file');
  const source = text.replaceAll('ROOT', PROJECT_ROOT).replaceAll('FILE', JSON.stringify(file));
  return { command: process.execPath, args: ['--input-type=module', '-e', source], file };
}
function spawned(command: string, args: readonly string[]): ChildProcess {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  return child;
}
const pidIn = (file: string): number => Number(existsSync(file) ? readFileSync(file, 'utf8') : 0);
const alive = (pid: number): boolean => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2)[0] !== 'Z';
  } catch {
    return false;
  }
};

test('a program of the install and of the build ends with all its children when a signal comes', async () => {
  const { command, args, file } = program(`
    import { inherit } from 'ROOT/tools/install/ensure.mjs';
    const stop = new AbortController();
    process.once('SIGTERM', () => stop.abort(new Error('stopped by SIGTERM')));
    await inherit('sh', ['-c', 'sleep 60 & echo $! > ' + FILE + '; wait'], { signal: stop.signal }).catch((error) => {
      process.stdout.write(error.message);
    });`);
  const child = spawned(command, args);
  let said = '';
  child.stdout?.on('data', (chunk: Buffer) => (said += chunk.toString()));
  await eventually(() => pidIn(file) > 0, { what: 'the program to be under way' });
  const grandchild = pidIn(file);
  child.kill('SIGTERM');
  await once(child, 'close');
  expect(said).toBe('stopped by SIGTERM');
  await eventually(() => !alive(grandchild), { what: 'its child to be gone' });
});

test('a program whose parent was killed learns of it', async () => {
  const { command, args, file } = program(`
    import { writeFileSync } from 'node:fs';
    import { endOfParent } from 'ROOT/tools/start/parent.mjs';
    const keep = setInterval(() => undefined, 60_000);
    void endOfParent().then(() => clearInterval(keep));
    writeFileSync(FILE, String(process.pid));`);
  const parent = spawned('sh', ['-c', '"$@" & wait', 'parent', command, ...args]);
  await eventually(() => pidIn(file) > 0, { what: 'the program to be under way' });
  const pid = pidIn(file);
  expect(alive(pid)).toBe(true);
  parent.kill('SIGKILL');
  await eventually(() => !alive(pid), { what: 'it to end' });
});
