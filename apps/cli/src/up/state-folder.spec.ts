import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@assay/testing';
import { StateFolder } from './state-folder';

let dir: string;
const children: ChildProcess[] = [];

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'assay-state-'));
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  rmSync(dir, { recursive: true, force: true });
});

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

test('a second start is refused while the first is alive', () => {
  new StateFolder(dir).lock();
  expect(() => {
    new StateFolder(dir).lock();
  }).toThrow(`running from this folder already (pid ${process.pid})`);
});

test('a start after a clean stop is not refused', () => {
  const state = new StateFolder(dir);
  state.lock();
  state.unlock();
  expect(() => {
    new StateFolder(dir).lock();
  }).not.toThrow();
});

test('what a killed start left running is ended by the next one', async () => {
  const child = sleeper();
  const killed = new StateFolder(dir);
  killed.lock();
  killed.note(child.pid ?? 0);
  writeFileSync(join(dir, 'up.json'), JSON.stringify([{ pid: 999_999_999, started: '1' }]));
  const ended = once(child, 'exit');
  new StateFolder(dir).lock();
  expect(await ended).toEqual([null, 'SIGKILL']);
});

test('a command of a sandbox that outlived its killed executor is ended too', async () => {
  const killed = new StateFolder(dir);
  const stray = spawn('sleep', ['60'], {
    detached: true,
    stdio: 'ignore',
    env: { PATH: process.env['PATH'], HOME: join(killed.work, 'executor-1/x/root/home') },
  });
  children.push(stray);
  await eventually(() => stray.pid !== undefined);
  writeFileSync(join(dir, 'children.json'), JSON.stringify([{ pid: 999_999_999, started: '1' }]));
  const ended = once(stray, 'exit');
  new StateFolder(dir).lock();
  expect(await ended).toEqual([null, 'SIGKILL']);
});

test('a process that only got the same pid is left alone', async () => {
  const child = sleeper();
  await eventually(() => child.pid !== undefined);
  writeFileSync(join(dir, 'children.json'), JSON.stringify([{ pid: child.pid, started: '1' }]));
  new StateFolder(dir).lock();
  expect(child.exitCode).toBeNull();
  expect(child.signalCode).toBeNull();
});

test('a note that was half-written by a killed process stops nobody', () => {
  new StateFolder(dir);
  writeFileSync(join(dir, 'up.json'), '[{"pid":');
  expect(() => {
    new StateFolder(dir).lock();
  }).not.toThrow();
});
