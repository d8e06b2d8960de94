import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@assay/testing';
import { StateFolder } from './state-folder';

let dir: string;
let notes: string[];
const children: ChildProcess[] = [];

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'assay-state-'));
  notes = [];
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  rmSync(dir, { recursive: true, force: true });
});

/** The folder, taken as a start takes it. */
async function taken(signal = new AbortController().signal): Promise<StateFolder> {
  const state = new StateFolder(dir);
  await state.take({ note: (line) => notes.push(line), signal });
  return state;
}

function sleeper(): ChildProcess {
  const child = spawn('sleep', ['60'], { detached: true, stdio: 'ignore' });
  children.push(child);
  return child;
}

test('a secret is made once, is long, and only its owner can read it', () => {
  const state = new StateFolder(dir);
  const file = state.secret('api-token');
  const first = readFileSync(file, 'utf8');
  expect(first).toMatch(/^[0-9a-f]{64}$/);
  expect(readFileSync(state.secret('api-token'), 'utf8')).toBe(first);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('a secret that is given replaces the one that was there', () => {
  const state = new StateFolder(dir);
  state.secret('model-key');
  expect(readFileSync(state.secret('model-key', 'sk-given'), 'utf8')).toBe('sk-given');
});

test('a second start is refused while the first is alive', async () => {
  await taken();
  await expect(taken()).rejects.toThrow(`running from this folder already (pid ${process.pid})`);
  expect(notes).toEqual([]);
});

test('a start after a clean stop is not refused', async () => {
  (await taken()).release();
  await expect(taken()).resolves.toBeInstanceOf(StateFolder);
});

test('a start while the first is stopping waits for its end', async () => {
  const first = await taken();
  first.noteStopping();
  const second = taken();
  await eventually(() => notes.length > 0);
  expect(notes).toEqual([`an earlier start (pid ${process.pid}) is stopping: waiting for its end`]);
  first.release();
  await second;
});

test('a start that is asked to stop while it waits gives up', async () => {
  (await taken()).noteStopping();
  const stop = new AbortController();
  const second = taken(stop.signal);
  stop.abort(new Error('asked to stop'));
  await expect(second).rejects.toThrow('asked to stop');
});

test('what a killed start left running is ended by the next one', async () => {
  const child = sleeper();
  const killed = await taken();
  killed.note(child.pid ?? 0);
  writeFileSync(join(dir, 'up.json'), JSON.stringify([{ pid: 999_999_999, started: '1', stopping: true }]));
  const ended = once(child, 'exit');
  await taken();
  expect(await ended).toEqual([null, 'SIGKILL']);
});

/** A command of a sandbox, with a session of its own. */
async function stray(work: string): Promise<ChildProcess> {
  const child = spawn('sleep', ['60'], {
    detached: true,
    stdio: 'ignore',
    env: { PATH: process.env['PATH'], HOME: join(work, 'executor-1/x/root/home') },
  });
  children.push(child);
  await eventually(() => child.pid !== undefined);
  return child;
}

test('a command of a sandbox that outlived its killed executor is ended too', async () => {
  const child = await stray(new StateFolder(dir).work);
  writeFileSync(join(dir, 'children.json'), JSON.stringify([{ pid: 999_999_999, started: '1' }]));
  const ended = once(child, 'exit');
  await taken();
  expect(await ended).toEqual([null, 'SIGKILL']);
});

test('one that outlived an executor that did not stop in time is ended when the folder is given back', async () => {
  const state = await taken();
  const child = await stray(state.work);
  const ended = once(child, 'exit');
  state.release();
  expect(await ended).toEqual([null, 'SIGKILL']);
});

test('a process that only got the same pid is left alone', async () => {
  const child = sleeper();
  await eventually(() => child.pid !== undefined);
  writeFileSync(join(dir, 'children.json'), JSON.stringify([{ pid: child.pid, started: '1' }]));
  await taken();
  expect(child.exitCode).toBeNull();
  expect(child.signalCode).toBeNull();
});

test('a note that was half-written by a killed process stops nobody', async () => {
  new StateFolder(dir);
  writeFileSync(join(dir, 'up.json'), '[{"pid":');
  writeFileSync(join(dir, 'children.json'), '');
  await taken();
  expect(readFileSync(join(dir, 'up.json'), 'utf8')).toContain(`"pid":${process.pid}`);
});
