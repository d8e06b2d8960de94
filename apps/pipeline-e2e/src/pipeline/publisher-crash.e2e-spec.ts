import { eventually } from '@assay/testing';
import { REPOSITORY, scratchFolder, TestDeployment } from '../harness/deployment';
import { writeSuite } from '../harness/suite-builder';

// A publisher killed by SIGKILL in the middle of a publication, as a process: at each point the release ends with one
// block and one file, and nothing else of its notes is touched.

const NOTES = 'Notes of a human.\r\n\r\n- one  \r\n<!-- not ours -->';

let scratch: Awaited<ReturnType<typeof scratchFolder>>;
let deployment: TestDeployment;

beforeAll(async () => {
  scratch = await scratchFolder();
  await writeSuite(scratch.dir, { name: 'quick', agent: 'oracle', tasks: [{ id: 'a' }], publish: 'counts' });
  deployment = await TestDeployment.start({ suitesDir: scratch.dir });
}, 120_000);
afterAll(async () => {
  await deployment.stop();
  await scratch.remove();
});

interface Release {
  readonly id: number;
  readonly body: string;
  readonly assets: readonly { name: string; state: string }[];
}

const releaseOf = (tag: string): Promise<Release> =>
  deployment.github<Release>('GET', `/repos/${REPOSITORY}/releases/tags/${tag}`);

/** A run of a new release whose publication waits, because no publisher is there. */
async function awaitingPublication(tag: string): Promise<string> {
  await deployment.service('publisher').end();
  const { id } = await deployment.github<Release>('POST', `/repos/${REPOSITORY}/releases`, {
    tag_name: tag,
    target_commitish: 'a'.repeat(40),
    name: tag,
    body: NOTES,
  });
  const release = { repository: REPOSITORY, id, tag };
  const { runId } = await deployment.submit({ suite: 'quick', release, trigger: 'release' });
  await eventually(async () => (await deployment.run(runId)).state === 'SUCCEEDED', {
    timeoutMs: 60_000,
    what: 'the run to end',
  });
  return runId;
}

/** Requests of one method to one path, as the stand-in of GitHub has seen them, whatever became of them. */
async function seen(method: string, path: RegExp): Promise<number> {
  const requests = await deployment.github<{ method: string; path: string }[]>('GET', '/_standin/requests');
  return requests.filter((request) => request.method === method && path.test(request.path)).length;
}

const UPLOAD = /\/releases\/\d+\/assets$/;
const RELEASE = /\/releases\/\d+$/;

interface Point {
  /** The request that the publisher is left waiting for when it is killed. */
  readonly held: { readonly method: string; readonly path: RegExp; readonly skip?: number };
  /** What has been done on the release by then. */
  readonly blocks: number;
}

const POINTS: readonly (readonly [string, Point])[] = [
  ['while the result file is sent', { held: { method: 'POST', path: UPLOAD }, blocks: 0 }],
  ['with the file there and the block being written', { held: { method: 'PATCH', path: RELEASE }, blocks: 0 }],
  // It reads the release before the file, before the write, and after it.
  ['with the block written and not read back', { held: { method: 'GET', path: RELEASE, skip: 2 }, blocks: 1 }],
];

test.each(POINTS)(
  'killed %s: another takes over after the lease, and there is one block and one file',
  async (where, { held, blocks }) => {
    const tag = `v${POINTS.findIndex(([name]) => name === where) + 1}.0.0`;
    const runId = await awaitingPublication(tag);
    const before = await seen(held.method, held.path);
    const fault = { kind: 'hang', method: held.method, path: held.path.source, skip: held.skip ?? 0 };
    await deployment.github('POST', '/_standin/faults', fault);
    await (await deployment.add('publisher')).ready();
    await eventually(async () => (await seen(held.method, held.path)) === before + (held.skip ?? 0) + 1, {
      timeoutMs: 30_000,
      what: 'the publisher to wait for GitHub',
    });
    await deployment.service('publisher').end('SIGKILL');
    expect(blocksIn((await releaseOf(tag)).body)).toBe(blocks);
    expect((await deployment.run(runId)).publicationState).toBe('PENDING');

    await deployment.add('publisher');
    expect((await deployment.finished(runId)).publicationState).toBe('PUBLISHED');
    const { body, assets } = await releaseOf(tag);
    expect(blocksIn(body)).toBe(1);
    expect(body.startsWith(NOTES)).toBe(true);
    expect(assets.map(({ name, state }) => [name.startsWith(`assay-quick-${runId}-`), state])).toEqual([
      [true, 'uploaded'],
    ]);
  },
  120_000,
);

function blocksIn(body: string): number {
  const [starts, ends] = [/<!-- assay:[^>]*:start -->/g, /<!-- assay:[^>]*:end -->/g].map(
    (marker) => body.match(marker)?.length ?? 0,
  );
  expect(starts).toBe(ends);
  return starts ?? 0;
}
