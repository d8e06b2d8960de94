import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApiClient } from './api.client';
import { clientOf } from './connection';

test.each(['', 'localhost:8080', 'ftp://x', 'not an address'])('%j is refused as the address of a server', (url) => {
  expect(() => clientOf({ url, tokenFile: __filename })).toThrow(
    `--url (or ASSAY_URL): expected an address such as http://127.0.0.1:8080, got ${JSON.stringify(url)}`,
  );
});

test('a token file that was named and is not there is refused, not passed over', () => {
  expect(() => clientOf({ url: 'http://127.0.0.1:1', tokenFile: '/nowhere/token' })).toThrow(
    'API token file /nowhere/token: expected a file with the token, but it is not there',
  );
});

test('an address with a password in it is refused without showing it', () => {
  expect(() => clientOf({ url: 'http://me:canary@host', tokenFile: __filename })).toThrow(
    /^--url \(or ASSAY_URL\): expected an address without user and password: the token file says who you are$/,
  );
});

test('an address and a token are a client', () => {
  const dir = mkdtempSync(join(tmpdir(), 'assay-connection-'));
  try {
    writeFileSync(join(dir, 'token'), 'secret\n');
    const client = clientOf({ url: 'http://127.0.0.1:1/', tokenFile: join(dir, 'token') });
    expect(client).toBeInstanceOf(ApiClient);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
});
