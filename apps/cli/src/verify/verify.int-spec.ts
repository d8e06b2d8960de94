import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync, mkdirSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  decideAgain,
  keyId,
  newSigningKey,
  readPublicKeys,
  readSigningKey,
  sha256Of,
  signStatement,
  summaryOf,
} from '@assay/evidence';
import { Namespace, RunResult } from '@assay/contracts';
import { blockMarkers, renderBlock, replaceBlock } from '@assay/github';
import { aPublicResult } from '@assay/testing';
import { startGithubStandin, type GithubStandin } from '../../../../tools/github-standin/server.mjs';
import { ExitError, UsageError } from '../output';
import { assayProgram } from '../program';

const RESULT = 'assay-demo-run-1-0a1b2c3d.json';
const ARCHIVE = 'assay-demo-run-1-0a1b2c3d.trajectories.tar.gz';
const STATEMENT = 'assay-demo-run-1-0a1b2c3d.intoto.json';
const REPOSITORY = 'acme/agent';

const MARKERS = blockMarkers(Namespace.parse('assay'), 'demo');
const pair = newSigningKey();
const id = readPublicKeys(pair.publicPem).map(keyId).join();
let dir: string;
let keyFile: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'assay-verify-test-'));
  keyFile = join(dir, 'key.pub');
  writeFileSync(keyFile, pair.publicPem);
});
afterEach(() => {
  jest.restoreAllMocks();
  rmSync(dir, { recursive: true });
});

/** The three files of a publication, as the publisher would have made them. */
function publication(): Record<string, Buffer> {
  const base = aPublicResult({
    gate: {
      kind: 'benchmark',
      expectedInstances: 2,
      errorThreshold: 1,
      forgedMarker: 'quarantine',
      gradeOnly: false,
      budgetReached: null,
    },
    instances: ['a', 'b'].map((name) => ({
      ...{ id: name as never, sample: 0, state: 'RESOLVED' as const, attempts: 1, failure: null, limit: null },
      ...{ suspicions: [], hasResult: true, hasTrajectory: true },
    })),
  });
  const { status, counts, score, reasons } = decideAgain(base);
  const result = { ...base, status, counts, score, reasons };
  const files = { [RESULT]: Buffer.from(JSON.stringify(result, null, 2)), [ARCHIVE]: Buffer.from('archive') };
  const subjects = Object.entries(files).map(([name, content]) => ({ name, sha256: sha256Of(content) }));
  const statement = signStatement(summaryOf(result), result.manifestDigest, subjects, readSigningKey(pair.privatePem));
  return { ...files, [STATEMENT]: Buffer.from(JSON.stringify(statement)) };
}

function written(files = publication()): string {
  const folder = join(dir, 'files');
  mkdirSync(folder);
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  return folder;
}

/** What the command prints, and its exit code. */
async function assay(...args: string[]): Promise<{ out: string; exit: number; error: string }> {
  let out = '';
  jest.spyOn(process.stdout, 'write').mockImplementation((text) => {
    out += String(text);
    return true;
  });
  try {
    await assayProgram().parseAsync(args, { from: 'user' });
    return { out, exit: 0, error: '' };
  } catch (error) {
    if (error instanceof ExitError) return { out, exit: error.code, error: error.message };
    if (error instanceof UsageError) return { out, exit: 2, error: error.message };
    throw error;
  } finally {
    jest.restoreAllMocks();
  }
}

describe('files of a folder', () => {
  test.each(['', RESULT, ARCHIVE, STATEMENT])('are verified whole, asked by %j', async (name) => {
    const { out, exit } = await assay('verify', join(written(), name), '--key', keyFile);
    expect(exit).toBe(0);
    expect(out).toContain(`${STATEMENT}: verified`);
    expect(out).toContain(`signed by key ${id}`);
    expect(out).toContain('run run-1 of demo for acme/agent v1.2.0, evaluated v1.2.0: SUCCEEDED, no score');
    expect(out).toContain(`files: ${RESULT}, ${ARCHIVE}`);
  });

  test('are told when the result was changed: the file, and which field', async () => {
    const files = publication();
    const changed = String(files[RESULT]).replace('"resolved": 2', '"resolved": 1');
    const { out, exit } = await assay(
      'verify',
      written({ ...files, [RESULT]: Buffer.from(changed) }),
      '--key',
      keyFile,
    );
    expect(exit).toBe(1);
    expect(out).toContain(`${STATEMENT}: NOT what was signed`);
    expect(out).toContain(`${RESULT} was changed: its sha256 is`);
    expect(out).toContain(`${RESULT}: counts.resolved is 1, signed is 2`);
  });

  test('are told when the archive was changed or is gone', async () => {
    const folder = written();
    writeFileSync(join(folder, ARCHIVE), 'another');
    expect((await assay('verify', folder, '--key', keyFile)).out).toContain(`${ARCHIVE} was changed`);
    rmSync(join(folder, ARCHIVE));
    const { out, exit } = await assay('verify', folder, '--key', keyFile);
    expect([exit, out]).toEqual([1, expect.stringContaining(`${ARCHIVE} is signed, but not there`)]);
  });

  test.each<[string, (path: string) => void, string]>([
    ['a pipe', (path) => spawnSync('mkfifo', [path]), 'is a pipe, device or socket: expected a file'],
    [
      'a link to a device that never ends',
      (path) => {
        symlinkSync('/dev/zero', path);
      },
      'is a pipe, device or socket: expected a file',
    ],
    [
      'a link to a folder',
      (path) => {
        symlinkSync('/', path);
      },
      'is a folder: expected a file',
    ],
    [
      'a folder',
      (path) => {
        mkdirSync(path);
      },
      'is a folder: expected a file',
    ],
    [
      'a link to nothing',
      (path) => {
        symlinkSync('/nowhere', path);
      },
      'is not there',
    ],
    [
      'a file that is too large',
      (path) => spawnSync('truncate', ['-s', '3G', path]),
      'has 3221225472 bytes: expected at most 2147483648',
    ],
  ])('are told by name, unread, when one is %s', async (_, put, trouble) => {
    const folder = written();
    for (const name of [RESULT, STATEMENT]) {
      const path = join(folder, name);
      const before = readFileSync(path);
      rmSync(path);
      put(path);
      const { out, exit } = await assay('verify', folder, '--key', keyFile);
      const told = name === STATEMENT ? trouble.replace('2147483648', '67108864') : trouble;
      expect([exit, out]).toEqual([1, expect.stringContaining(`${name} ${told}\n`)]);
      rmSync(path, { recursive: true });
      writeFileSync(path, before);
    }
  });

  test('whose signature names another key id are verified with a warning', async () => {
    const files = publication();
    const changed = String(files[STATEMENT]).replace(id, 'f'.repeat(64));
    const { out, exit } = await assay(
      'verify',
      written({ ...files, [STATEMENT]: Buffer.from(changed) }),
      '--key',
      keyFile,
    );
    expect(exit).toBe(0);
    expect(out).toContain(`${STATEMENT}: verified`);
    expect(out).toContain(
      `  warning: the signature names the key ${'f'.repeat(64)}, but it is of the trusted key ${id}`,
    );
  });

  test.each([
    [
      'PUBLISHED',
      { repository: REPOSITORY, id: 1, tag: 'v1.2.0' },
      `the statement is on the release: assay verify ${REPOSITORY}@v1.2.0`,
    ],
    [
      'REFUSED',
      { repository: REPOSITORY, id: 1, tag: 'v1.2.0' },
      `not on its release ${REPOSITORY}@v1.2.0 (REFUSED): nothing was signed`,
    ],
    ['NONE', null, 'a run without a release: nothing was published or signed'],
  ])('of an export say why there is no statement: %s', async (publicationState, release, why) => {
    const folder = written({
      'status.json': Buffer.from(JSON.stringify({ runId: 'run-1', publicationState, release })),
    });
    const { exit, error } = await assay('verify', folder, '--key', keyFile);
    expect([exit, error]).toEqual([2, expect.stringContaining(why)]);
  });

  test('are told when the signature is of another key', async () => {
    writeFileSync(keyFile, newSigningKey().publicPem);
    const { out, exit } = await assay('verify', written(), '--key', keyFile);
    expect([exit, out]).toEqual([1, expect.stringContaining(`no trusted key signed it: it names ${id}`)]);
  });

  test('are not looked for outside: a signed path is no file of the folder', async () => {
    const secret = join(dir, 'outside.json');
    writeFileSync(secret, '{}');
    const statement = signStatement(
      summaryOf(aPublicResult()),
      null,
      [{ name: '../outside.json', sha256: sha256Of(Buffer.from('{}')) }],
      readSigningKey(pair.privatePem),
    );
    const folder = written({ [STATEMENT]: Buffer.from(JSON.stringify(statement)) });
    const { out, exit } = await assay('verify', folder, '--key', keyFile);
    expect([exit, out]).toEqual([1, expect.stringContaining('../outside.json is signed, but not there')]);
  });

  test('without a statement are wrong usage', async () => {
    const { exit, error } = await assay('verify', written({ [RESULT]: Buffer.from('{}') }), '--key', keyFile);
    expect([exit, error]).toEqual([2, expect.stringContaining('expected a signed statement (*.intoto.json)')]);
  });

  test('can be told as JSON', async () => {
    const { out } = await assay('verify', written(), '--key', keyFile, '--json');
    expect(JSON.parse(out)).toMatchObject([{ name: STATEMENT, signedBy: id, findings: [] }]);
  });
});

describe('a release', () => {
  let github: GithubStandin;
  beforeEach(async () => {
    github = await startGithubStandin({ token: 'writer', repositories: [REPOSITORY], check: true });
  });
  afterEach(async () => {
    expect(github.problems).toEqual([]);
    await github.stop();
  });

  async function published(
    files: Record<string, Buffer>,
    change = (notes: string) => notes,
    tag = 'v1.2.0',
  ): Promise<void> {
    const result = RunResult.safeParse(JSON.parse(String(files[RESULT] ?? '{}'))).data;
    const block = result === undefined ? 'notes' : replaceBlock('notes', renderBlock(result, []), MARKERS);
    const headers = { authorization: 'Bearer writer', 'content-type': 'application/json' };
    const answer = await fetch(`${github.url}/repos/${REPOSITORY}/releases`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ tag_name: tag, target_commitish: 'a'.repeat(40), name: 'one', body: change(block) }),
    });
    const { upload_url: url } = (await answer.json()) as { upload_url: string };
    for (const [name, content] of Object.entries({ ...files, 'dist.zip': Buffer.from('of the project') })) {
      const upload = await fetch(`${url.replace(/\{.*\}$/, '')}?name=${name}`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/octet-stream' },
        body: new Uint8Array(content),
      });
      expect(upload.status).toBe(201);
    }
  }
  const verify = (target: string) => assay('verify', target, '--key', keyFile, '--github-url', github.url);

  test.each([`${REPOSITORY}@v1.2.0`, `https://github.com/${REPOSITORY}/releases/tag/v1.2.0`])(
    'is verified by its files, named as %s',
    async (target) => {
      await published(publication());
      const { out, exit } = await verify(target);
      expect([exit, out]).toEqual([0, expect.stringContaining(`${STATEMENT}: verified`)]);
    },
  );

  test('of a stand-in on this machine is found by the address that `npm start` prints alone', async () => {
    await published(publication());
    const { out, exit } = await assay('verify', `${github.url}/${REPOSITORY}/releases/tag/v1.2.0`, '--key', keyFile);
    expect([exit, out]).toEqual([0, expect.stringContaining(`${STATEMENT}: verified`)]);
  });

  test('with a changed file is told', async () => {
    await published({ ...publication(), [ARCHIVE]: Buffer.from('another') });
    const { out, exit } = await verify(`${REPOSITORY}@v1.2.0`);
    expect([exit, out]).toEqual([1, expect.stringContaining(`${ARCHIVE} was changed`)]);
  });

  test('whose notes say something else than the signed result is told', async () => {
    await published(publication(), (notes) => notes.replace('2 resolved', '7 resolved'));
    const { out, exit } = await verify(`${REPOSITORY}@v1.2.0`);
    expect(exit).toBe(1);
    expect(out).toMatch(/the block on the release does not say what the result says: - Instances: 2 resolved/);
  });

  test('with the result of another release, signature and all, is told', async () => {
    await published(publication(), (notes) => notes, 'v2.0.0');
    const { out, exit } = await verify(`${REPOSITORY}@v2.0.0`);
    expect([exit, out]).toEqual([
      1,
      expect.stringContaining(`${STATEMENT} is of ${REPOSITORY} v1.2.0, not of ${REPOSITORY} v2.0.0`),
    ]);
  });

  test('with a file and a block that nothing signs is told', async () => {
    const other = blockMarkers(Namespace.parse('assay'), 'swe');
    await published({ ...publication(), 'assay-demo-run-9-ffffffff.json': Buffer.from('{}') }, (notes) =>
      replaceBlock(notes, 'forged', other),
    );
    const { out, exit } = await verify(`${REPOSITORY}@v1.2.0`);
    expect(exit).toBe(1);
    expect(out).toContain('assay-demo-run-9-ffffffff.json is on the release, and no statement signs it');
    expect(out).toContain('the notes have a block of the suite swe, and no statement is of it');
  });

  test('whose block was taken out is told', async () => {
    await published(publication(), () => 'notes');
    const { out, exit } = await verify(`${REPOSITORY}@v1.2.0`);
    expect([exit, out]).toEqual([1, expect.stringContaining('the notes have no block of the suite demo')]);
  });

  test('without our files fails and says so', async () => {
    await published({});
    const { exit, error } = await verify(`${REPOSITORY}@v1.2.0`);
    expect([exit, error]).toEqual([1, `${REPOSITORY}@v1.2.0 has no signed statement of Assay`]);
  });

  test('that is not there fails by name', async () => {
    await expect(verify(`${REPOSITORY}@v9.9.9`)).rejects.toThrow(/tags\/v9\.9\.9 answered 404: no such release/);
  });

  test.each([
    'nowhere',
    'a/b',
    'a/b@../x',
    'https://github.com/a/b',
    'http://github.com/a/b/releases/tag/v1',
    'a/b@v1..2',
  ])('named as %j is wrong usage', async (target) => {
    expect(await verify(target)).toMatchObject({ exit: 2, error: expect.stringContaining(target) as string });
  });
});

describe('keys', () => {
  let server: Server | undefined;
  afterEach(() => {
    server?.close();
    server = undefined;
  });

  test('of a server are trusted when it is named', async () => {
    server = createServer((_, answer) => answer.end(JSON.stringify({ keys: [{ keyId: id, pem: pair.publicPem }] })));
    const listening = server.listen(0, '127.0.0.1');
    await new Promise<void>((ready) => listening.once('listening', ready));
    const url = `http://127.0.0.1:${(listening.address() as AddressInfo).port}`;
    expect((await assay('verify', written(), '--url', url)).exit).toBe(0);
  });

  test('of a file that holds none are wrong usage, by option and file', async () => {
    writeFileSync(keyFile, 'nothing');
    const { exit, error } = await assay('verify', written(), '--key', keyFile);
    expect([exit, error]).toEqual([2, expect.stringContaining(`--key ${keyFile}: the signing key is not usable`)]);
  });

  test('are made in two files, the private one for its owner alone, and never overwritten', async () => {
    const out = join(dir, 'signing.pem');
    const made = await assay('signing-key', '--out', out);
    expect(statSync(out).mode & 0o777).toBe(0o400);
    const [publicKey] = readPublicKeys(readFileSync(`${out}.pub`, 'utf8'));
    expect(made.out).toContain(`key ${publicKey === undefined ? '' : keyId(publicKey)}`);
    expect(keyId(readSigningKey(readFileSync(out, 'utf8')))).toBe(publicKey === undefined ? '' : keyId(publicKey));
    expect(await assay('signing-key', '--out', out)).toMatchObject({
      exit: 2,
      error: `--out: ${out} is there already, and a key is never overwritten`,
    });
  });
});
