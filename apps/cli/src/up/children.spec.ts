import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@assay/testing';
import { Children } from './children';
import { StateFolder } from './state-folder';

let dir: string;
let deaths: string[];
let children: Children;
const node = (name: string, script: string) => ({
  name,
  command: process.execPath,
  args: ['-e', script],
  env: { PATH: process.env['PATH'] ?? '' },
});

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'assay-children-'));
  deaths = [];
  children = new Children(new StateFolder(dir), (line) => deaths.push(line));
});
afterEach(async () => {
  await children.stop();
  rmSync(dir, { recursive: true, force: true });
});

test('a child that ends unasked is told of in one line, with its last words', async () => {
  children.start(
    node('grader', 'console.log(JSON.stringify({ msg: "no NATS", err: { message: "refused" } })); process.exit(7)'),
  );
  await eventually(() => deaths.length > 0);
  expect(deaths).toEqual(['grader ended unasked (exit 7): no NATS: refused']);
});

test('a program that is not there is told of once', async () => {
  children.start({ name: 'ghost', command: join(dir, 'nothing'), args: [], env: {} });
  await eventually(() => deaths.length > 0);
  expect(deaths).toEqual([expect.stringMatching(/^ghost cannot be started: .*ENOENT/)]);
});

test('stopping ends every child and is no death', async () => {
  children.start(
    node('one', `require("fs").writeFileSync(${JSON.stringify(join(dir, 'up'))}, ""); setInterval(() => {}, 1000)`),
  );
  await eventually(() => existsSync(join(dir, 'up')));
  await children.stop();
  expect(deaths).toEqual([]);
});

test('nothing is started once the stopping has begun', async () => {
  await children.stop();
  expect(() => {
    children.start(node('late', ''));
  }).toThrow('late is not started any more: this deployment is stopping');
});

test('a log that cannot be written is told of, and its child is stopped with the others', async () => {
  mkdirSync(join(dir, 'logs/full.log'), { recursive: true });
  children.start(node('full', 'setInterval(() => {}, 1000)'));
  await eventually(() => deaths.length > 0);
  expect(deaths).toEqual([expect.stringMatching(/^the log .*full\.log cannot be written: EISDIR/)]);
  await children.stop();
  const noted = JSON.parse(readFileSync(join(dir, 'children.json'), 'utf8')) as { pid: number }[];
  expect(noted.map(({ pid }) => existsSync(`/proc/${pid}`))).toEqual([false]);
});

test('what a child writes goes to a log of its own', async () => {
  children.start(node('two', 'console.log("hello"); process.exit(0)'));
  await eventually(() => deaths.length > 0);
  expect(readFileSync(join(dir, 'logs/two.log'), 'utf8')).toBe('hello\n');
});
