import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InstanceList, RunId, RunRecord, RunView } from '@assay/contracts';
import { aManifest, aPublicResult } from '@assay/testing';
import { ApiClient, ApiError } from '../api.client';
import { ExitError, UsageError } from '../output';
import { BundleFolder } from './bundle-folder';
import { exportRun } from './export-run';

const runId = RunId.parse('run-1');
const at = '2026-01-01T00:00:00.000Z';
let dir: string;
let server: Server;
/** What the server answers, by path. */
let answers: Map<string, Buffer>;

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'assay-export-'));
  answers = new Map();
  server = createServer((request, response) => {
    const found = answers.get(request.url ?? '');
    response.writeHead(found === undefined ? 404 : 200).end(found ?? '{}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
  rmSync(dir, { recursive: true });
});

const client = () => new ApiClient({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, token: 't' });
const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

function stored(name: string, mediaType: string, content: Buffer) {
  const digest = createHash('sha256').update(content).digest('hex');
  answers.set(`/v1/artifacts/${digest}`, content);
  return { name, digest, size: content.length, mediaType };
}

function aTry(kind: 'trial' | 'grade', artifacts: ReturnType<typeof stored>[]) {
  return { kind, number: 1, state: 'COMPLETED', worker: 'w', startedAt: at, finishedAt: at, failure: null, artifacts };
}

/** A run of one instance, with a big log. */
function aRun(lastError: string | null = null): Buffer {
  const log = randomBytes(3_000_000);
  const manifest = stored('manifest', 'application/json', json(aManifest()));
  const instances: InstanceList = InstanceList.parse({
    runId,
    instances: [
      {
        ...{
          instanceId: 'i-1',
          sample: 0,
          state: 'RESOLVED',
          attempts: 1,
          worker: null,
          nextTryAt: null,
          failure: null,
        },
        ...{ limit: null, suspicions: [], traceId: null },
        history: [
          aTry('trial', [stored('patch', 'text/x-diff', Buffer.from('diff')), stored('agent_log', 'text/plain', log)]),
          aTry('grade', [stored('report', 'application/json', Buffer.from('{}'))]),
        ],
      },
    ],
  });
  const view: RunView = RunView.parse({
    ...{ runId, state: 'SUCCEEDED', publicationState: 'PENDING', suite: 'demo', agent: 'mini', model: 'm' },
    evaluated: { ref: 'v1', commit: null, packageVersion: null },
    ...{ release: null, trigger: 'manual', states: {}, counts: aPublicResult().counts, lastError, failure: null },
    ...{ stalled: false, traceId: null, createdAt: at, startedAt: at, finishedAt: at },
    ...{
      publicationReason: null,
      publicationRetryAt: null,
      publicationDifference: null,
      result: aPublicResult(),
      chain: [],
      chainOf: null,
    },
  });
  const record: RunRecord = RunRecord.parse({
    schemaVersion: 'assay.run-record/1',
    runId,
    request: {
      ...{
        suite: 'demo',
        evaluated: { ref: 'v1', commit: 'a'.repeat(40), packageVersion: '1.0.0' },
        model: 'm',
        trigger: 'manual',
      },
    },
    origin: null,
    manifestDigest: manifest.digest,
    publication: { state: 'PENDING', tries: 2, lastError, writtenAt: null, publishedAt: null },
    notifications: [],
    events: [{ at, type: 'run.submitted', instanceId: null, sample: null, data: {} }],
  });
  answers.set('/v1/runs/run-1', json(view));
  answers.set('/v1/runs/run-1/record', json(record));
  answers.set('/v1/runs/run-1/instances', json(instances));
  return log;
}

async function exported(): Promise<string> {
  const place = join(dir, 'bundle');
  const folder = await BundleFolder.at(place);
  try {
    await exportRun(client(), runId, folder);
    await folder.finish();
  } catch (error) {
    await folder.drop();
    throw error;
  }
  return place;
}

test('everything is there, and its checksums are those that sha256sum finds', async () => {
  const log = aRun('GitHub answers 502');
  const place = await exported();
  const checked = execFileSync('sha256sum', ['-c', 'checksums.sha256'], { cwd: place, encoding: 'utf8' });
  expect(checked.trim().split('\n')).toEqual(
    [
      'events.jsonl',
      'instances/i-1/grade-1/report.json',
      'instances/i-1/trial-1/agent_log.log',
      'instances/i-1/trial-1/patch.patch',
      'manifest.json',
      'package.json',
      'publisher-error.json',
      'request.json',
      'status.json',
      'summary.json',
    ].map((file) => `${file}: OK`),
  );
  expect(readFileSync(join(place, 'instances/i-1/trial-1/agent_log.log')).equals(log)).toBe(true);
  expect(JSON.parse(readFileSync(join(place, 'publisher-error.json'), 'utf8'))).toEqual({
    error: 'GitHub answers 502',
    tries: 2,
  });
  expect(JSON.parse(readFileSync(join(place, 'summary.json'), 'utf8'))).toEqual(aPublicResult());
});

test('without a failed publication there is no publisher-error.json', async () => {
  aRun();
  expect(existsSync(join(await exported(), 'publisher-error.json'))).toBe(false);
});

test('content that is not what its digest says ends it, and nothing is left', async () => {
  aRun();
  for (const [path, content] of answers) {
    if (content.toString() === 'diff') answers.set(path, Buffer.from('another'));
  }
  await expect(exported()).rejects.toThrow(ExitError);
  expect([existsSync(join(dir, 'bundle')), existsSync(join(dir, 'bundle.partial'))]).toEqual([false, false]);
});

test('an artifact that is gone ends it, and nothing is left', async () => {
  aRun();
  for (const [path, content] of answers) if (content.toString() === 'diff') answers.delete(path);
  await expect(exported()).rejects.toThrow(ApiError);
  expect(existsSync(join(dir, 'bundle.partial'))).toBe(false);
});

test('a folder that is there is not touched; what an export that was killed left is', async () => {
  aRun();
  const place = join(dir, 'bundle');
  mkdirSync(`${place}.partial`);
  writeFileSync(join(`${place}.partial`, 'left'), 'x');
  await exported();
  expect(existsSync(join(place, 'left'))).toBe(false);
  await expect(BundleFolder.at(place)).rejects.toThrow(UsageError);
});
