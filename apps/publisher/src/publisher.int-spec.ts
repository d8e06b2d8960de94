import { chmodSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { FLOW } from '@assay/contracts';
import { subscriptionsOf } from '@assay/messaging';
import { ConfigError, loadConfig, startService } from '@assay/service-kit';
import { TestNats } from '@assay/testing';
import { AppModule } from './app.module';
import { configSchema } from './config';
import { githubToken } from './github-token';
import { PublicationHandler } from './publication/publication.handler';
import { strategyOf } from './strategy';

const CANARY = 'canary-github-token-c3f2';

let dir: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'assay-publisher-'));
});

afterEach(() => {
  rmSync(dir, { recursive: true });
});

function tokenFile(content: string, mode = 0o600): string {
  const file = join(dir, 'token');
  writeFileSync(file, content);
  chmodSync(file, mode);
  return file;
}

const env = (over: Record<string, string>) => ({
  NATS_URL: 'nats://127.0.0.1:1',
  ASSAY_ARTIFACTS_DIR: join(dir, 'artifacts'),
  ASSAY_HTTP_PORT: '0',
  GITHUB_API_URL: 'http://127.0.0.1:1',
  ...over,
});

describe('the token file', () => {
  test.each([
    ['is empty', () => tokenFile(' \n'), 'is empty'],
    ['can be read by others', () => tokenFile(CANARY, 0o604), 'has mode 0604'],
    ['can be read by the group and changed by the owner', () => tokenFile(CANARY, 0o640), 'has mode 0640'],
    ['does not exist', () => join(dir, 'nowhere'), 'nowhere'],
    ['is a folder', () => dir, 'is not a regular file'],
    [
      'is a symbolic link',
      () => {
        symlinkSync(tokenFile(CANARY), join(dir, 'link'));
        return join(dir, 'link');
      },
      'is a symbolic link',
    ],
  ])('that %s is refused at the start, by name', (_how, make, reason) => {
    const settings = env({ GITHUB_TOKEN_FILE: make() });
    const load = () => loadConfig(configSchema, settings);
    expect(load).toThrow(ConfigError);
    expect(load).toThrow(/GITHUB_TOKEN_FILE/);
    expect(load).toThrow(reason);
  });

  test.each([0o600, 0o400, 0o440])('with mode %o is taken, and read anew each time', (mode) => {
    const file = tokenFile(CANARY, mode);
    expect(loadConfig(configSchema, env({ GITHUB_TOKEN_FILE: file })).GITHUB_TOKEN_FILE).toBe(file);
    expect(githubToken(file)).toBe(CANARY);
    chmodSync(file, 0o600);
    writeFileSync(file, 'renewed\n');
    expect(githubToken(file)).toBe('renewed');
    writeFileSync(file, '');
    expect(() => githubToken(file)).toThrow('the GitHub token cannot be used');
  });

  test('all wrong settings are told in one message', () => {
    const load = () => loadConfig(configSchema, { GITHUB_API_URL: 'ftp://x', ASSAY_TIME_SCALE: '2' });
    for (const name of ['GITHUB_API_URL', 'GITHUB_TOKEN_FILE', 'NATS_URL', 'ASSAY_TIME_SCALE', 'ASSAY_ARTIFACTS_DIR']) {
      expect(load).toThrow(name);
    }
  });
});

test('it takes exactly what the table of the flow says', () => {
  const { consumes } = FLOW.find(({ app }) => app === 'publisher') ?? { consumes: [] };
  expect(subscriptionsOf([PublicationHandler])).toEqual([...consumes].sort());
});

test('it starts, is ready, is not any more without its token, stops, and says its token to nobody', async () => {
  const nats = await TestNats.start();
  const logged: string[] = [];
  const log = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      logged.push(chunk.toString());
      done();
    },
  });
  const file = tokenFile(CANARY);
  const settings = env({ NATS_URL: nats.url, GITHUB_TOKEN_FILE: file, ASSAY_LOG_LEVEL: 'trace' });
  const service = await startService(
    {
      name: 'publisher',
      config: configSchema,
      module: (config, kit) => AppModule.of(config, kit),
      strategy: strategyOf,
    },
    settings,
    log,
  );
  expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
  writeFileSync(file, '');
  const unready = await fetch(`${service.url}/readyz`);
  expect(unready.status).toBe(503);
  expect(await unready.text()).toContain('GitHub token');
  await service.stop();
  await nats.stop();
  expect(logged.join('')).toContain('service started');
  expect(logged.join('')).not.toContain(CANARY);
});
