import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { loadConfig } from './load-config';
import { dockerOptions, sandboxConfig } from './sandbox-config';

const schema = z.object(sandboxConfig('executor'));
const load = (env: NodeJS.ProcessEnv = {}) => loadConfig(schema, { ASSAY_WORK_DIR: '/work', ...env });

test('what is not set is off: no pinning, no budget, no mirror, the Dockerfile’s own base', () => {
  expect(load()).toMatchObject({ ASSAY_CORES: 'off', ASSAY_SLOTS: 1 });
  expect(dockerOptions(load())).toEqual({ baseImage: null });
});

test('everything that is set reaches the sandbox', () => {
  const config = load({
    ASSAY_SLOTS: '3',
    ASSAY_CORES: '0-2, 8',
    ASSAY_BASE_IMAGE: 'base:1',
    ASSAY_IMAGE_BUDGET_MB: '2000',
    ASSAY_REGISTRY_MIRROR: 'mirror.example:5000/hub/',
  });
  expect(dockerOptions(config)).toEqual({
    baseImage: 'base:1',
    imageBudgetMb: 2000,
    registryMirror: 'mirror.example:5000/hub/',
    pinning: { cores: [0, 1, 2, 8], slots: 3 },
  });
  expect(dockerOptions(load({ ASSAY_CORES: 'auto' }))).toMatchObject({ pinning: { cores: 'auto', slots: 1 } });
});

test('logins of registries are read from their file, and reach the sandbox', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'assay-logins-'));
  const file = join(dir, 'config.json');
  await writeFile(file, JSON.stringify({ auths: { 'registry.example': { username: 'u', password: 'p-canary' } } }));
  await chmod(file, 0o600);
  expect(dockerOptions(load({ ASSAY_REGISTRY_LOGINS_FILE: file })).registryLogins).toEqual(
    new Map([['registry.example', { username: 'u', password: 'p-canary' }]]),
  );
  await chmod(file, 0o644);
  expect(() => load({ ASSAY_REGISTRY_LOGINS_FILE: file })).toThrow(
    /^(?!.*canary)[^]*ASSAY_REGISTRY_LOGINS_FILE: expected/,
  );
  await rm(dir, { recursive: true });
});

test.each(['all', '3-1', '1,1', '0-2,2', '1-', '-1', '1;2', '0x1', '1,,2'])('%s is no list of cores', (text) => {
  expect(() => load({ ASSAY_CORES: text })).toThrow(
    `ASSAY_CORES: expected off, auto, or a list of cores such as 0-3,8, got ${JSON.stringify(text)}`,
  );
});

test.each(['https://mirror.example', 'mirror.example/a b', 'mirror.example:port', 'Mirror/x', '/hub'])(
  '%s is no mirror',
  (text) => {
    expect(() => load({ ASSAY_REGISTRY_MIRROR: text })).toThrow('ASSAY_REGISTRY_MIRROR: expected a registry');
  },
);

test('a budget of nothing is no budget', () => {
  expect(() => load({ ASSAY_IMAGE_BUDGET_MB: '0' })).toThrow('expected a whole number of at least 1, got "0"');
});
