import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readdir, utimes } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { dirname, join } from 'node:path';
import { withTempDir } from '@assay/testing';
import { GatewayFolders, type GatewayPlace } from './gateway-folders';

/** An executor with a gateway: it listens until it is killed. */
const LISTENER = `
require('node:net').createServer().listen(process.argv[1], () => process.stdout.write('ready'));
`;

async function listening(socket: string): Promise<Server> {
  const server = createServer().listen(socket);
  await once(server, 'listening');
  return server;
}

/** As if it had been made long ago. */
async function aged(place: GatewayPlace, ms = 120_000): Promise<GatewayPlace> {
  const then = new Date(Date.now() - ms);
  for (const dir of [place.spoolDir, dirname(place.socket)]) await utimes(dir, then, then);
  return place;
}

const isThere = ({ socket, spoolDir }: GatewayPlace): boolean[] => [dirname(socket), spoolDir].map(existsSync);

describe('folders of model gateways', () => {
  const folders = (dir: string): GatewayFolders =>
    new GatewayFolders({ host: join(dir, 'host'), work: join(dir, 'work'), tmp: join(dir, 'tmp') });

  test('of an executor that was killed are removed; those of a living one stay', () =>
    withTempDir(async (dir) => {
      const [killed, living] = [await folders(dir).make(), await folders(dir).make()];
      const server = await listening(living.socket);
      const owner = spawn(process.execPath, ['-e', LISTENER, killed.socket], { stdio: ['ignore', 'pipe', 'inherit'] });
      await once(owner.stdout, 'data');
      await Promise.all([aged(killed), aged(living)]);
      expect(await folders(dir).sweep()).toBe(0);
      owner.kill('SIGKILL');
      await once(owner, 'exit');
      expect(existsSync(killed.socket)).toBe(true);
      expect(await folders(dir).sweep()).toBe(2);
      expect([isThere(killed), isThere(living)]).toEqual([
        [false, false],
        [true, true],
      ]);
      server.close();
    }));

  test('that are being made have no socket yet, and stay', () =>
    withTempDir(async (dir) => {
      const place = await folders(dir).make();
      expect(await folders(dir).sweep()).toBe(0);
      await aged(place);
      expect(await folders(dir).sweep()).toBe(2);
    }));

  test('whose spool stands elsewhere than its socket are still told apart by the socket', () =>
    withTempDir(async (dir) => {
      const own = new GatewayFolders({ host: join(dir, 'other'), work: join(dir, 'work'), tmp: join(dir, 'tmp') });
      const place = await own.make();
      const server = await listening(place.socket);
      await aged(place);
      expect(await folders(dir).sweep()).toBe(0);
      server.close();
      await once(server, 'close');
      expect(await folders(dir).sweep()).toBe(1);
      expect(isThere(place)).toEqual([true, false]);
    }));

  test('that do not say whose they are stay until they are older than any trial', () =>
    withTempDir(async (dir) => {
      const nobodys = join(dir, 'work', 'gateway-spool', 'gateway-1');
      await mkdir(nobodys, { recursive: true });
      const place = { socket: join(dir, 'none', 'model.sock'), spoolDir: nobodys };
      await mkdir(dirname(place.socket));
      await aged(place, 3_600_000);
      expect(await folders(dir).sweep()).toBe(0);
      await aged(place, 8 * 86_400_000);
      expect(await folders(dir).sweep()).toBe(1);
    }));

  test('of a path that is too long for a socket lie where paths are short, and are removed from there', () =>
    withTempDir(async (dir) => {
      const [host, tmp] = [join(dir, 'x'.repeat(100)), join(dir, 'tmp')];
      await mkdir(tmp);
      const long = new GatewayFolders({ host, work: join(dir, 'work'), tmp });
      const place = await long.make();
      expect(dirname(dirname(place.socket))).toBe(tmp);
      expect(await readdir(join(host, 'gateways'))).toEqual([]);
      await aged(place);
      expect(await long.sweep()).toBe(2);
      expect(await readdir(tmp)).toEqual([]);
    }));

  test('of a gateway that stops go with it', () =>
    withTempDir(async (dir) => {
      const place = await folders(dir).make();
      const server = await listening(place.socket);
      server.close();
      await once(server, 'close');
      await folders(dir).remove(place);
      expect(isThere(place)).toEqual([false, false]);
    }));
});
