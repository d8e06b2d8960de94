import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import { ApiClient } from './api.client';
import { clientOf, fetchFor } from './connection';
import { fetchTrusting } from './trusting-fetch';

let dir: string;
let server: Server;
let url: string;

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'assay-ca-'));
  const { cert, private: key } = await generate([{ name: 'commonName', value: 'assay' }], {
    ...{ keyType: 'ec', algorithm: 'sha256' },
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] }],
  });
  writeFileSync(join(dir, 'cert.pem'), cert);
  writeFileSync(join(dir, 'token'), 'secret');
  server = createServer({ cert, key }, (_request, response) => {
    response.end(JSON.stringify({ runs: [], nextCursor: null }));
  }).listen(0);
  await once(server, 'listening');
  url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
  rmSync(dir, { recursive: true });
});

test('a server with a certificate of its own is talked to where --ca-file names it', async () => {
  const client = clientOf({ url, tokenFile: join(dir, 'token'), caFile: join(dir, 'cert.pem') });
  expect(await client.runs(null)).toEqual({ runs: [], nextCursor: null });
});

test('without it, it is not', async () => {
  await expect(new ApiClient({ url, token: 'secret' }).runs(null)).rejects.toThrow(/self.signed certificate/);
});

test('its name is looked at all the same', async () => {
  const client = new ApiClient({
    url: url.replace('127.0.0.1', 'localhost'),
    token: 'secret',
    fetch: fetchTrusting(join(dir, 'cert.pem')),
  });
  await expect(client.runs(null)).rejects.toThrow(/does not match|altnames/i);
});

test.each([
  ['token', 'holds none'],
  ['nothing', 'is not there'],
  ['', 'is a folder'],
])('a file that is none is refused by name: %j', (file, reason) => {
  const path = join(dir, file);
  expect(() => fetchTrusting(path)).toThrow(
    `--ca-file (or ASSAY_CA_FILE): expected a PEM file with certificates, but ${path} ${reason}`,
  );
});

test('the certificate of `npm start -- --tls` is trusted by itself, and by every command that talks to a server', async () => {
  mkdirSync(join(dir, 'tls'));
  cpSync(join(dir, 'cert.pem'), join(dir, 'tls/cert.pem'));
  writeFileSync(join(dir, 'address'), `${url}\n`);
  process.env['ASSAY_STATE_DIR'] = dir;
  try {
    expect(await clientOf({ tokenFile: join(dir, 'token') }).runs(null)).toEqual({ runs: [], nextCursor: null });
    expect((await fetchFor(url, undefined)(url)).status).toBe(200);
  } finally {
    Reflect.deleteProperty(process.env, 'ASSAY_STATE_DIR');
  }
});
