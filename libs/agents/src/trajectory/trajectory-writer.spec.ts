import { withTempDir } from '@assay/testing';
import { appendFile, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Atif } from './atif.schema';
import { readSteps, TrajectoryWriter } from './trajectory-writer';
import type { TrajectoryStep } from './trajectory-step';

const TOKEN = 'token-canary-77f1';
const at = '2026-01-01T00:00:00.000Z';
const step: TrajectoryStep = {
  timestamp: at,
  source: 'agent',
  message: `my key is ${TOKEN}`,
  toolCalls: [{ id: 'c1', name: 'bash', arguments: { command: `echo ${TOKEN}` } }],
};
const head = {
  sessionId: 's',
  agent: { name: 'a', version: '1' },
  model: 'm',
  usage: { calls: 1, promptTokens: 1, completionTokens: 1, cachedTokens: 0, costUsd: null, estimated: false },
  extra: { failure: { message: `401 for ${TOKEN}` } },
};

const inDir = <T>(work: (path: string) => Promise<T>): Promise<T> =>
  withTempDir((dir) => work(join(dir, 'steps.jsonl')));

test('steps are on the disk as they happen, and the document is made of them', () =>
  inDir(async (path) => {
    const writer = new TrajectoryWriter(path, [TOKEN]);
    writer.step(step);
    expect((await readFile(path, 'utf8')).split('\n')).toHaveLength(2);
    writer.observed({ callId: 'c1', content: 'out' });
    expect(await readSteps(path)).toEqual([
      {
        ...step,
        message: 'my key is [redacted]',
        toolCalls: [{ id: 'c1', name: 'bash', arguments: { command: 'echo [redacted]' } }],
        observations: [{ callId: 'c1', content: 'out' }],
      },
    ]);
    const document = Atif.parse(writer.document(head));
    expect(document.steps[0]?.observation?.results).toEqual([{ source_call_id: 'c1', content: 'out' }]);
    expect(JSON.stringify(document) + (await readFile(path, 'utf8'))).not.toContain(TOKEN);
    writer.close();
  }));

test('what was written before a kill in the middle of a line is there', () =>
  inDir(async (path) => {
    const writer = new TrajectoryWriter(path, []);
    writer.step(step);
    writer.step({ ...step, message: 'two', toolCalls: [] });
    await appendFile(path, '{"step":{"timest');
    expect((await readSteps(path)).map(({ message }) => message)).toEqual([step.message, 'two']);
    writer.close();
  }));

test('an agent that still talks after the end is not heard, and closing twice is closing once', () =>
  inDir(async (path) => {
    const writer = new TrajectoryWriter(path, []);
    writer.step(step);
    writer.close();
    writer.close();
    const { size } = await stat(path);
    writer.step(step);
    expect((await stat(path)).size).toBe(size);
  }));

test('a file that is there already is not written over, and nobody else may read it', () =>
  inDir(async (path) => {
    const writer = new TrajectoryWriter(path, []);
    expect(() => new TrajectoryWriter(path, [])).toThrow(/EEXIST/);
    expect((await stat(path)).mode & 0o077).toBe(0);
    writer.close();
  }));
