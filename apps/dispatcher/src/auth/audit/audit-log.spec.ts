import { randomUUID } from 'node:crypto';
import type { AuditEntry, Sql } from '@assay/persistence';
import { eventually } from '@assay/testing';
import pino from 'pino';
import { AuditLog } from './audit-log';

/** A database that takes statements, or throws as long as it is `away`. */
class Shelf implements Sql {
  readonly statements: AuditEntry[][] = [];
  away = false;
  tries = 0;

  query<Row>(_sql: string, parameters: readonly unknown[] = []): Promise<Row[]> {
    this.tries += 1;
    if (this.away) return Promise.reject(new Error('the database is away'));
    this.statements.push(JSON.parse(String(parameters[0])) as AuditEntry[]);
    return Promise.resolve([]);
  }

  get stored(): string[] {
    return this.statements.flat().map(({ path }) => path);
  }
}

let shelf: Shelf;
let lines: string[];
let log: AuditLog;
beforeEach(() => {
  shelf = new Shelf();
  lines = [];
  log = new AuditLog({ database: shelf, logger: pino({}, { write: (line: string) => void lines.push(line) }) });
});

const entry = (n: number, reason: string | null = null): AuditEntry => ({
  ...{ at: new Date(), requestId: randomUUID(), principalKind: 'nobody', principal: null, method: 'GET', route: null },
  ...{ path: `/${n}`, status: reason === null ? 200 : 401, reason, address: '127.0.0.1' },
});
const said = (sentence: string) => lines.filter((line) => line.includes(`"msg":"${sentence}"`)).length;

test('a call is stored at once, and those that come meanwhile together with one statement', async () => {
  for (let n = 0; n < 100; n += 1) log.record(entry(n));
  await log.drain();
  expect(shelf.stored).toEqual(Array.from({ length: 100 }, (_, n) => `/${n}`));
  expect(shelf.statements.length).toBeLessThan(5);
});

test('each call is a log line of its own, accepted or refused', () => {
  log.record(entry(1));
  log.record(entry(2, 'token_unknown'));
  expect([said('call accepted'), said('call refused')]).toEqual([1, 1]);
  expect(lines[1]).toContain('"reason":"token_unknown"');
});

test('while the database is away calls wait, and are stored in order when it is back; it is said once', async () => {
  shelf.away = true;
  for (let n = 0; n < 3; n += 1) log.record(entry(n));
  await eventually(() => Promise.resolve(shelf.tries >= 2), { timeoutMs: 10_000, what: 'a second try' });
  log.record(entry(3));
  shelf.away = false;
  await eventually(() => Promise.resolve(shelf.stored.length === 4), { timeoutMs: 10_000, what: 'all to be stored' });
  expect(shelf.stored).toEqual(['/0', '/1', '/2', '/3']);
  expect(said('the audit log cannot be written; it is tried again')).toBe(1);
});

test('what cannot be kept is in the log lines alone, and how much that is is an error', async () => {
  shelf.away = true;
  for (let n = 0; n < 10_005; n += 1) log.record(entry(n));
  shelf.away = false;
  await log.drain();
  expect(shelf.stored).toHaveLength(10_000);
  expect(said('call accepted')).toBe(10_005);
  expect(lines.find((line) => line.includes('calls are in the log alone'))).toContain('"calls":5');
});

test('a stop does not wait for a database that is away, and says what it leaves', async () => {
  shelf.away = true;
  log.record(entry(1));
  await log.drain();
  expect(lines.find((line) => line.includes('calls are in the log alone'))).toContain('"calls":1');
});
