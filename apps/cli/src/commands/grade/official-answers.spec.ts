import { describeWithData, sharedData, withTempDir } from '@assay/testing';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { createGunzip } from 'node:zlib';
import { assayProgram } from '../../program';
import { readJsonLines } from './json-lines/read-json-lines';

type Columns = Record<string, unknown>;

/** The objects of a JSONL file, one at a time. */
async function* objectsOf(file: string): AsyncGenerator<Columns> {
  const bytes = createReadStream(file);
  for await (const line of readJsonLines(file.endsWith('.gz') ? bytes.pipe(createGunzip()) : bytes)) {
    if ('error' in line) throw line.error;
    yield line.value as Columns;
  }
}

/** Runs the command over a file of the data; where its answers differ from what `expected` makes of the input lines. */
async function differences(
  what: 'logs' | 'parsers',
  name: string,
  expected: (row: Columns) => Columns,
): Promise<{ count: number; wrong: number[] }> {
  return withTempDir(async (dir) => {
    const input = sharedData(join('swebench', name));
    const output = join(dir, 'out.jsonl');
    await assayProgram().parseAsync(['grade', what, '--in', input, '--out', output], { from: 'user' });
    const answers = objectsOf(output);
    const wrong: number[] = [];
    let count = 0;
    for await (const row of objectsOf(input)) {
      count += 1;
      const wanted = expected(row);
      const answer = ((await answers.next()).value ?? {}) as Columns;
      const told = Object.fromEntries(Object.keys(wanted).map((key) => [key, answer[key]]));
      if (JSON.stringify(told) !== JSON.stringify(wanted)) wrong.push(count);
    }
    expect((await answers.next()).done).toBe(true);
    return { count, wrong };
  });
}

describeWithData('the official answers, by the command line', 'swebench', () => {
  test('923 real logs: instance, found, resolution, statuses in order, report', async () => {
    const official = (row: Columns): Columns => ({
      instance_id: row['instance_id'],
      found: row['found'],
      resolution: row['resolution'],
      status_map: Object.entries((row['status_map'] as [unknown, [string, object]])[1][1]),
      report: (row['report'] as Columns)[String(row['instance_id'])],
    });
    expect(await differences('logs', 'graded-logs.jsonl.gz', official)).toEqual({ count: 923, wrong: [] });
  });

  test('35 odd logs: resolution and report', async () => {
    const official = ({ instance_id, resolution, report }: Columns): Columns => ({ instance_id, resolution, report });
    expect(await differences('logs', 'edge-grading.jsonl', official)).toEqual({ count: 35, wrong: [] });
  });

  test('314 odd inputs of parsers: statuses in order', async () => {
    expect(await differences('parsers', 'edge-parsers.jsonl', ({ map }) => ({ map }))).toEqual({
      count: 314,
      wrong: [],
    });
  });
});
