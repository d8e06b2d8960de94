import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newSigningKey, readPublicKeys, readSigningKey, sha256Of, verifyEvidence } from '@assay/evidence';
import { aFailedResult } from '@assay/testing';
import { aSpec, Publishing } from '../harness/publishing';
import { signingKeyFile } from '../signing-key-setting';

const pair = newSigningKey();
const signingKey = readSigningKey(pair.privatePem);

describe('with a key, a publication', () => {
  let publishing: Publishing;
  beforeEach(async () => {
    publishing = await Publishing.start();
  });
  afterEach(() => publishing.stop());

  /** What `assay verify` finds about the release's files. */
  async function checked(id: number) {
    const names = publishing.found(id).assets.map(({ name }) => name);
    const contents = await Promise.all(names.map((name) => publishing.download(name)));
    const statement = names.findIndex((name) => name.endsWith('.intoto.json'));
    const result = names.findIndex((name) => /-[0-9a-f]{8}\.json$/.test(name));
    const verdict = verifyEvidence(
      {
        envelope: String(contents[statement]),
        files: names.map((name, at) => ({ name, sha256: sha256Of(contents[at] ?? Buffer.alloc(0)) })),
        result: { name: names[result] ?? '', text: String(contents[result]) },
      },
      readPublicKeys(pair.publicPem),
    );
    return { names, verdict };
  }

  test('is signed: the statement covers every other file, and the block names it', async () => {
    const id = await publishing.release();
    await publishing.publish(aSpec(id), {}, publishing.handler({ signingKey }));
    const { names, verdict } = await checked(id);
    expect(names).toHaveLength(2);
    expect(verdict.statement?.subject.map(({ name }) => name)).toEqual(
      names.filter((name) => !name.endsWith('.intoto.json')),
    );
    // The builder's result has counts without instances, which is what the gate finds; signature and files hold.
    expect(verdict.findings.filter(({ about }) => about !== 'gate')).toEqual([]);
    expect(publishing.body(id)).toMatch(/- Signed statement: \[assay-demo-run-1-[0-9a-f]{8}\.intoto\.json\]\(http/);
  });

  test('has the same statement on every try, so that nothing is uploaded twice', async () => {
    const id = await publishing.release();
    await publishing.publish(aSpec(id), {}, publishing.handler({ signingKey }));
    const before = publishing.count('POST');
    await publishing.publish(aSpec(id), {}, publishing.handler({ signingKey }));
    expect([publishing.count('POST'), publishing.found(id).assets.length]).toEqual([before, 2]);
  });

  test('of a run that FAILED is signed as well', async () => {
    const id = await publishing.release();
    await publishing.publish(aSpec(id, { result: aFailedResult() }), {}, publishing.handler({ signingKey }));
    expect((await checked(id)).verdict.findings).toEqual([]);
  });

  test('that is of a later run takes the place of an earlier one, statement and all', async () => {
    const id = await publishing.release();
    const handler = publishing.handler({ signingKey });
    await publishing.publish(aSpec(id), {}, handler);
    const [first] = (await checked(id)).names;
    await publishing.publish(aSpec(id, { result: { ...aSpec(id).result, title: 'Another title' } }), {}, handler);
    const { names } = await checked(id);
    expect([names.length, names.includes(first ?? '')]).toEqual([2, false]);
  });
});

describe('the setting of the key', () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'assay-signing-'));
  });
  afterEach(() => {
    rmSync(dir, { recursive: true });
  });
  const file = (content: string, mode: number): string => {
    const path = join(dir, 'key.pem');
    writeFileSync(path, content);
    chmodSync(path, mode);
    return path;
  };

  test('is the key in the file', () => {
    expect(signingKeyFile().parse(file(pair.privatePem, 0o400)).type).toBe('private');
  });

  test.each([
    ['others may read it', pair.privatePem, 0o644, /has mode 0644/],
    ['it holds another thing', 'nothing', 0o600, /text that is no such key/],
    ['it holds the public key', pair.publicPem, 0o600, /expected an ed25519 private key/],
  ])('is refused where %s, and the text is not said', (_, content, mode, reason) => {
    const [issue] = signingKeyFile().safeParse(file(content, mode)).error?.issues ?? [];
    expect(issue?.message).toMatch(reason);
    expect(issue?.message).not.toContain('BEGIN');
  });
});
