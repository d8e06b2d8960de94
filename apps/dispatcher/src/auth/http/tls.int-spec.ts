import { X509Certificate } from 'node:crypto';
import { chmodSync, statSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { connect, type TLSSocket } from 'node:tls';
import type { RunningService } from '@assay/service-kit';
import { clearedAway, startDispatcher, surroundings, type Surroundings, TOKEN } from '../../harness/test-dispatcher';
import { certificateFrom, selfSigned } from './tls';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'assay-tls-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const DAY_MS = 86_400_000;

describe('a self-signed certificate', () => {
  test('is made once, names this machine, and its key is for nobody else', async () => {
    const made = await selfSigned(join(dir, 'tls'));
    const x509 = new X509Certificate(made.cert);
    expect(['localhost', '127.0.0.1', '::1'].filter((name) => x509.subjectAltName?.includes(name) === false)).toEqual([
      '::1',
    ]);
    expect(x509.checkIP('::1')).toBe('::1');
    expect(x509.ca).toBe(false);
    expect(made.fingerprint).toMatch(/^([0-9A-F]{2}:){31}[0-9A-F]{2}$/);
    expect(statSync(join(dir, 'tls/key.pem')).mode & 0o777).toBe(0o600);
    expect(await selfSigned(join(dir, 'tls'))).toEqual(made);
  });

  test('is made anew in its last month', async () => {
    const made = await selfSigned(dir);
    const later = (days: number) => new Date(made.expiresAt.getTime() - days * DAY_MS);
    expect((await selfSigned(dir, later(31))).fingerprint).toBe(made.fingerprint);
    expect((await selfSigned(dir, later(29))).fingerprint).not.toBe(made.fingerprint);
  });

  test('is made anew where its key is not its own any more', async () => {
    const made = await selfSigned(dir);
    writeFileSync(join(dir, 'key.pem'), 'no key');
    expect((await selfSigned(dir)).fingerprint).not.toBe(made.fingerprint);
  });
});

describe('certificate files', () => {
  test.each<[string, (files: { cert: string; key: string }) => void, RegExp]>([
    [
      'a key that others can read',
      ({ key }) => {
        chmodSync(key, 0o644);
      },
      /^ASSAY_TLS_KEY_FILE .*mode 0644/,
    ],
    [
      'a certificate that is none',
      ({ cert }) => {
        writeFileSync(cert, 'x');
      },
      /^ASSAY_TLS_CERT_FILE /,
    ],
    [
      'a key of another certificate',
      ({ key }) => {
        writeFileSync(key, OTHER_KEY);
      },
      /^ASSAY_TLS_KEY_FILE .*expected the key of the certificate/,
    ],
  ])('are refused by name: %s', async (_name, spoil, message) => {
    await selfSigned(dir);
    const files = { cert: join(dir, 'cert.pem'), key: join(dir, 'key.pem') };
    spoil(files);
    expect(() => certificateFrom(files.cert, files.key)).toThrow(message);
  });

  test('that are not there are refused by name', () => {
    expect(() => certificateFrom('/nowhere/cert.pem', '/nowhere/key.pem')).toThrow(/^ASSAY_TLS_CERT_FILE \/nowhere/);
  });
});

describe('a dispatcher with a certificate', () => {
  let around: Surroundings;
  let service: RunningService;
  let ca: string;

  beforeAll(async () => {
    around = await surroundings();
    service = await startDispatcher(around, { ASSAY_TLS_SELF_SIGNED_DIR: join(around.dir, 'tls') });
    ca = (await selfSigned(join(around.dir, 'tls'))).cert;
  });
  afterAll(() => clearedAway(around));

  async function ask(trusted: string | undefined): Promise<number | undefined> {
    const call = request(`${service.url}/v1/runs`, {
      ...(trusted === undefined ? {} : { ca: trusted }),
      headers: { authorization: `Bearer ${TOKEN}` },
      agent: false,
    }).end();
    const [answer] = (await once(call, 'response')) as [IncomingMessage];
    answer.resume();
    return answer.statusCode;
  }

  test('answers who trusts it, by https alone', async () => {
    expect(service.url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
    expect(await ask(ca)).toBe(200);
    await expect(ask(undefined)).rejects.toThrow(/self.signed/);
    await expect(fetch(service.url.replace('https:', 'http:'))).rejects.toThrow();
  });

  test('tells its fingerprint at the start', async () => {
    const { fingerprint } = await selfSigned(join(around.dir, 'tls'));
    expect(around.logs.find((line) => line.includes('certificate of the server'))).toContain(fingerprint);
  });

  test.each([
    ['TLSv1.2', true],
    ['TLSv1.1', false],
  ] as const)('speaks %s: %s', async (version, spoken) => {
    const { port } = new URL(service.url);
    const socket: TLSSocket = connect({
      ...{ port: Number(port), host: '127.0.0.1', ca, minVersion: version, maxVersion: version },
      // Otherwise this side would refuse the old version before the server can.
      ciphers: 'DEFAULT@SECLEVEL=0',
    });
    const outcome = await Promise.race([
      once(socket, 'secureConnect').then(() => true),
      once(socket, 'error').then(
        () => false,
        () => false,
      ),
    ]).catch(() => false);
    socket.destroy();
    expect(outcome).toBe(spoken);
  });
});

const OTHER_KEY = `-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEIKhs7PhBwxqbjL9tn0mRQhC9uF0v5cbDPKZ8T4uEUV1R
-----END PRIVATE KEY-----
`;
