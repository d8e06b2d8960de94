import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { keyId, readPublicKeys, readSigningKey } from '@assay/evidence';
import { ensureKeyPair, type KeyPairFiles, writeKeyPair } from './key-pair-files';

let dir: string;
let files: KeyPairFiles;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'assay-keys-'));
  files = { privateFile: join(dir, 'key'), publicFile: join(dir, 'key.pub') };
});
afterEach(() => {
  rmSync(dir, { recursive: true });
});

const ids = () => [
  keyId(readSigningKey(readFileSync(files.privateFile, 'utf8'))),
  ...readPublicKeys(readFileSync(files.publicFile, 'utf8')).map(keyId),
];

test('a new pair belongs together, and its private half is for its owner alone', () => {
  const { id } = writeKeyPair(files);
  expect(ids()).toEqual([id, id]);
  expect(statSync(files.privateFile).mode & 0o777).toBe(0o400);
  expect(() => writeKeyPair(files)).toThrow(/EEXIST/);
});

test('halves that do not belong together, and a public half alone, are refused with what to do', () => {
  ensureKeyPair(files);
  const other = { privateFile: join(dir, 'other'), publicFile: join(dir, 'other.pub') };
  writeKeyPair(other);
  expect(() => {
    ensureKeyPair({ privateFile: other.privateFile, publicFile: files.publicFile });
  }).toThrow(/key\.pub does not hold the public half of .*other: put the right one there/);
  rmSync(files.privateFile);
  expect(() => {
    ensureKeyPair(files);
  }).toThrow(/key is gone, but .*key\.pub is there: put the private key back/);
  expect(existsSync(files.privateFile)).toBe(false);
});

test('a pair that is there stays; a public half that was lost is made again', () => {
  ensureKeyPair(files);
  const before = ids();
  ensureKeyPair(files);
  expect(ids()).toEqual(before);
  rmSync(files.publicFile);
  ensureKeyPair(files);
  expect(ids()).toEqual(before);
});
