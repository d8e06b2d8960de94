import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, stat, utimes, mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@assay/testing';
import { archive, NpmRegistryServer, sha512Of, type Entry } from '../harness/npm-registry-server';
import { AgentLayers } from './agent-layers';
import type { AgentPackage } from './agent-package';
import { HostLock } from './host-lock';
import { resolvePackage } from './resolve-package';

// The real npm against a registry of our own.

const NAME = '@acme/agent';
const VERSION = '1.2.3';
const file = (name: string, mode = 0o644): Entry => [{ name: `package/${name}`, mode }, `content of ${name}`];
const PACK: AgentPackage = {
  registry: 'npm',
  version: VERSION,
  node: false,
  parts: (version, arch) => [
    { name: NAME, version, dir: 'cli', executables: ['vendor/*/rg'] },
    { name: `${NAME}-linux-${arch}`, version, dir: 'bin' },
  ],
};

let registry: NpmRegistryServer;
let dir: string;
let integrity: string;
const before = { ...process.env };
const signal = AbortSignal.timeout(120_000);
const frozen = (change: object = {}) => ({ name: 'agent', version: VERSION, integrity, ...change });
const ensure = (layers = new AgentLayers(join(dir, 'layers'), 'x64'), change: object = {}) =>
  layers.ensure(PACK, frozen(change), signal);

async function publish(entries: Entry[], stated?: string): Promise<void> {
  const bytes = await archive(entries);
  registry.publish(NAME, VERSION, bytes, stated);
  const binary = await archive([file('agent', 0o755)]);
  registry.publish(`${NAME}-linux-x64`, VERSION, binary);
  integrity = `${stated ?? sha512Of(bytes)} ${sha512Of(binary)}`;
}

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'assay-layers-'));
  registry = await NpmRegistryServer.start();
  Object.assign(process.env, { npm_config_registry: registry.url, npm_config_cache: join(dir, 'npm') });
  process.env['npm_config_fetch_retries'] = '0';
  await publish([file('cli.js'), file('package.json'), file('run', 0o700), file('vendor/x64/rg'), file('vendor/rg')]);
});
afterEach(async () => {
  for (const name of ['npm_config_registry', 'npm_config_cache', 'npm_config_fetch_retries']) {
    if (before[name] === undefined) Reflect.deleteProperty(process.env, name);
    else process.env[name] = before[name];
  }
  await registry.stop();
  await rm(dir, { recursive: true, force: true });
});

describe('what a run freezes', () => {
  test('is the integrity of every package that the agent consists of, its own first', async () => {
    expect(await resolvePackage(PACK, VERSION, { signal, arch: 'x64' })).toBe(integrity);
    expect(registry.fetched).toEqual([]);
  });

  test('comes from the registry that is named, in place of the one that npm is set up for', async () => {
    process.env['npm_config_registry'] = 'http://127.0.0.1:1';
    await expect(resolvePackage(PACK, VERSION, { signal, arch: 'x64' })).rejects.toMatchObject({
      code: 'agent_registry_unavailable',
    });
    expect(await resolvePackage(PACK, VERSION, { signal, arch: 'x64', registry: registry.url })).toBe(integrity);
  });

  test.each([
    ['a version that is not there (yet)', '1.2.4'],
    ['a part that is not there (yet)', '1.2.5'],
  ])('%s is missing, and the answer is told without the address of the registry', async (_name, version) => {
    registry.publish(NAME, '1.2.5', await archive([file('x')]));
    const error: unknown = await resolvePackage(PACK, version, { signal, arch: 'x64' }).catch(
      (cause: unknown) => cause,
    );
    expect(error).toMatchObject({ blame: 'infra', code: 'agent_package_missing' });
    expect(String(error)).toContain(`@${version}`);
    expect(JSON.stringify(error) + String(error)).not.toContain(registry.url);
  });

  test('a registry that does not answer is no missing package', async () => {
    await registry.stop();
    await expect(resolvePackage(PACK, VERSION, { signal })).rejects.toMatchObject({
      code: 'agent_registry_unavailable',
    });
    registry = await NpmRegistryServer.start();
  });
});

describe('a layer', () => {
  test('holds its packages side by side, readable for all, executable where they are or forgot to be', async () => {
    const umask = process.umask(0o077);
    try {
      const { hostDir, id } = await ensure();
      expect(id).toMatch(/^agent-1\.2\.3-[0-9a-f]{12}$/);
      expect((await readdir(hostDir)).sort()).toEqual(['bin', 'cli']);
      const mode = async (path: string) => ((await stat(join(hostDir, path))).mode & 0o777).toString(8);
      expect(await readFile(join(hostDir, 'cli/cli.js'), 'utf8')).toBe('content of cli.js');
      expect([await mode('cli/cli.js'), await mode('cli/run'), await mode('cli/vendor')]).toEqual([
        '644',
        '755',
        '755',
      ]);
      expect([await mode('cli/vendor/x64/rg'), await mode('cli/vendor/rg')]).toEqual(['755', '644']);
      expect([await mode('.'), await mode('bin/agent')]).toEqual(['755', '755']);
    } finally {
      process.umask(umask);
    }
  });

  test('is fetched once, however many ask at the same time, and never again', async () => {
    const asked = Array.from({ length: 4 }, () => ensure(new AgentLayers(join(dir, 'layers'), 'x64')));
    const layers = await Promise.all(asked);
    expect(new Set(layers.map(({ hostDir }) => hostDir)).size).toBe(1);
    await registry.stop();
    expect(await ensure()).toEqual(layers[0]);
    expect(registry.fetched).toEqual([`${NAME}@${VERSION}`, `${NAME}-linux-x64@${VERSION}`]);
    registry = await NpmRegistryServer.start();
  });

  test('of another integrity than the frozen one is corrupt, and nothing of it stays', async () => {
    const other = `sha512-${'A'.repeat(86)}==`;
    const change = { integrity: integrity.replace(/^\S+/, other) };
    await expect(ensure(undefined, change)).rejects.toMatchObject({
      blame: 'infra',
      code: 'agent_package_corrupt',
      details: { package: `${NAME}@${VERSION}`, wanted: other },
    });
    expect(await readdir(join(dir, 'layers'))).toEqual([]);
  });

  test('whose archive is not what the registry says it is, is corrupt', async () => {
    await publish([file('cli.js')], `sha512-${'B'.repeat(86)}==`);
    await expect(ensure()).rejects.toMatchObject({ blame: 'infra', code: 'agent_package_corrupt' });
  });

  test('that was frozen with fewer packages than it has is corrupt', async () => {
    await expect(ensure(undefined, { integrity: integrity.split(' ')[0] })).rejects.toMatchObject({
      code: 'agent_package_corrupt',
    });
  });

  test.each<[string, Entry]>([
    ['a link', [{ name: 'package/link', type: 'symlink', linkname: '/etc/passwd' }]],
    ['a file outside', [{ name: 'package/../../outside' }, 'x']],
    ['a device', [{ name: 'package/dev', type: 'character-device' }]],
  ])('with %s in it is no package of npm', async (_name, entry) => {
    await publish([file('a'), entry]);
    await expect(ensure()).rejects.toMatchObject({ code: 'agent_package_corrupt' });
    expect(await readdir(dir)).not.toContain('outside');
    expect(await readdir(join(dir, 'layers'))).toEqual([]);
  });

  test('whose fetching was given up leaves nothing, and the next try fetches it', async () => {
    registry.hangs = true;
    const abort = new AbortController();
    const layers = new AgentLayers(join(dir, 'layers'), 'x64');
    const fetching = layers.ensure(PACK, frozen(), abort.signal);
    await eventually(() => registry.fetched.length > 0);
    abort.abort();
    await expect(fetching).rejects.toThrow();
    expect(await readdir(join(dir, 'layers'))).toEqual([]);
    registry.hangs = false;
    expect((await ensure(layers)).version).toBe(VERSION);
  });

  test('is not what somebody who was killed left half-made, which is swept when it is old', async () => {
    const left = join(dir, 'layers', '.other-1.0.0-x.host.partial');
    await mkdir(left, { recursive: true });
    await ensure();
    expect(await readdir(join(dir, 'layers'))).toContain('.other-1.0.0-x.host.partial');
    const old = new Date(Date.now() - 2 * 3_600_000);
    await utimes(left, old, old);
    await rm(join(dir, 'layers', (await ensure()).id), { recursive: true });
    await ensure();
    expect(await readdir(join(dir, 'layers'))).toEqual([expect.stringMatching(/^agent-1\.2\.3-/)]);
  });
});

describe('the lock of a host', () => {
  const waitsFor = async (name: string): Promise<() => boolean> => {
    let over = false;
    void HostLock.takeOrWait(name, signal).then(() => {
      over = true;
    });
    await new Promise(setImmediate);
    return () => over;
  };

  test('has one holder; the others hear when it lets go', async () => {
    const lock = await HostLock.takeOrWait(dir, signal);
    const over = await waitsFor(dir);
    expect([lock === null, over()]).toEqual([false, false]);
    lock?.release();
    await eventually(over);
    (await HostLock.takeOrWait(dir, signal))?.release();
  });

  test('is given back by the kernel when its holder is killed', async () => {
    const { createHash } = await import('node:crypto');
    const address = `assay-${createHash('sha256').update(dir).digest('hex').slice(0, 32)}`;
    const hold = `require('net').createServer(() => {}).listen('\\0${address}', () => console.log('held'))`;
    const holder = spawn(process.execPath, ['-e', hold], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(holder.stdout, 'data');
    const over = await waitsFor(dir);
    expect(over()).toBe(false);
    holder.kill('SIGKILL');
    await eventually(over);
    const lock = await HostLock.takeOrWait(dir, signal);
    expect(lock).not.toBeNull();
    lock?.release();
  });

  test('whoever waits may give up', async () => {
    const lock = await HostLock.takeOrWait(dir, signal);
    const abort = new AbortController();
    const waiting = HostLock.takeOrWait(dir, abort.signal);
    abort.abort();
    await expect(waiting).rejects.toThrow();
    lock?.release();
  });
});
