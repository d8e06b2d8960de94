import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TokenView } from '@assay/contracts';
import { assayProgram } from '../../program';
import { stateOf } from './list-tokens';

const view: TokenView = {
  ...{ id: 'tok-1', name: 'ci', scopes: ['runs:read'], repository: null, createdBy: 'the deployment' },
  ...{ createdAt: '2026-01-01T00:00:00.000Z', expiresAt: null, lastUsedAt: null, revokedAt: null },
};

let dir: string;
let server: Server;
let answer: { status: number; body: unknown };
let seen: { method?: string | undefined; url?: string | undefined; body: string }[];
let out: string;

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'assay-tokens-'));
  writeFileSync(join(dir, 'token'), 'secret');
  seen = [];
  out = '';
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      seen.push({ method: request.method, url: request.url, body });
      response.writeHead(answer.status).end(JSON.stringify(answer.body));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  jest.spyOn(process.stdout, 'write').mockImplementation((text) => {
    out += String(text);
    return true;
  });
});
afterEach(() => {
  jest.restoreAllMocks();
  server.closeAllConnections();
  server.close();
  rmSync(dir, { recursive: true });
});

const assay = (...args: string[]) =>
  assayProgram().parseAsync(
    [
      ...['tokens', ...args, '--token-file', join(dir, 'token')],
      ...['--url', `http://127.0.0.1:${(server.address() as AddressInfo).port}`],
    ],
    { from: 'user' },
  );

describe('create', () => {
  beforeEach(() => {
    answer = { status: 201, body: { ...view, token: 'assay_shown-once' } };
  });

  test('asks for what the options say, and prints the token', async () => {
    await assay('create', 'ci', '--scope', 'runs:read,runs:write', '--repository', 'acme/agent');
    expect(JSON.parse(seen[0]!.body)).toEqual({
      ...{ name: 'ci', scopes: ['runs:read', 'runs:write'], repository: 'acme/agent' },
    });
    expect(out).toBe('tok-1 (ci); it is not shown again:\nassay_shown-once\n');
  });

  test('writes the token to a file for nobody else in place of printing it', async () => {
    const file = join(dir, 'ci.token');
    await assay('create', 'ci', '--scope', 'runs:read', '--out', file, '--json');
    expect(readFileSync(file, 'utf8')).toBe('assay_shown-once\n');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(out).not.toContain('assay_shown-once');
  });

  test('does not make a token that it cannot write down, and overwrites nothing', async () => {
    const making = assay('create', 'ci', '--scope', 'runs:read', '--out', join(dir, 'token'));
    await expect(making).rejects.toThrow('expected a file that is not there yet');
    expect(seen).toEqual([]);
    expect(readFileSync(join(dir, 'token'), 'utf8')).toBe('secret');
  });

  test('leaves no file where no token was made', async () => {
    answer = { status: 403, body: { statusCode: 403, error: 'Forbidden', message: 'no', errors: [] } };
    const file = join(dir, 'ci.token');
    await expect(assay('create', 'ci', '--scope', 'runs:read', '--out', file)).rejects.toThrow('no');
    expect(existsSync(file)).toBe(false);
  });

  test('names what is wrong before anything is sent', async () => {
    const making = assay('create', ' ci', '--scope', 'root', '--expires', 'tomorrow');
    await expect(making).rejects.toThrow(/^the token is not valid\n {2}name: .*\n {2}scopes\.0: .*\n {2}expiresAt: /);
    expect(seen).toEqual([]);
  });
});

test('list shows who may what, and whether it still does', async () => {
  answer = { status: 200, body: { tokens: [view] } };
  await assay('list');
  expect(out).toMatch(/^TOKEN +NAME +SCOPES +REPOSITORY +STATE +LAST USED\ntok-1 +ci +runs:read +all +good +never\n$/);
});

test('revoke takes a token back by its id', async () => {
  answer = { status: 200, body: { ...view, revokedAt: '2026-02-01T00:00:00.000Z' } };
  await assay('revoke', 'tok-1');
  expect(seen).toMatchObject([{ method: 'DELETE', url: '/v1/tokens/tok-1' }]);
  expect(out).toBe('tok-1 (ci) was revoked at 2026-02-01T00:00:00.000Z\n');
});

test.each([
  [{}, 'good'],
  [{ expiresAt: '2026-06-01T00:00:00.000Z' }, 'good until 2026-06-01T00:00:00.000Z'],
  [{ expiresAt: '2026-01-02T00:00:00.000Z' }, 'expired 2026-01-02T00:00:00.000Z'],
  [{ revokedAt: '2026-01-02T00:00:00.000Z' }, 'revoked 2026-01-02T00:00:00.000Z'],
])('%j is %s', (over, words) => {
  expect(stateOf({ ...view, ...over }, new Date('2026-03-01T00:00:00Z'))).toBe(words);
});
