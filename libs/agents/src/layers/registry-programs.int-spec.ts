import { resolvePackage } from './resolve-package';

const signal = new AbortController().signal;
const path = process.env['PATH'];
beforeEach(() => {
  process.env['PATH'] = '/nowhere';
});
afterEach(() => {
  process.env['PATH'] = path;
});

test('an executor without npm is told so, before anything is asked of a registry', async () => {
  const pack = {
    registry: 'npm',
    version: '1.0.0',
    node: false,
    parts: () => [{ name: 'x', version: '1.0.0', dir: 'x' }],
  };
  await expect(resolvePackage(pack as never, '1.0.0', { signal })).rejects.toMatchObject({
    blame: 'infra',
    code: 'npm_missing',
  });
});

test('an executor without python3 is told so', async () => {
  const pack = { registry: 'pip', version: '1.0.0', name: 'x', python: '3.11' };
  await expect(resolvePackage(pack as never, '1.0.0', { signal })).rejects.toMatchObject({
    blame: 'infra',
    code: 'python_missing',
  });
});
