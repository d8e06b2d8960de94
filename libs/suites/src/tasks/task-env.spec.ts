import fc from 'fast-check';
import { resolveEnv } from './task-env';

test('plain values stay as they are, lone dollars too', () => {
  const env = { A: 'x', B: '$HOME', C: '{x}', D: '' };
  expect(resolveEnv(env)).toEqual({ env, missing: [], defaulted: [] });
});

test('a template takes its default, whatever the environment of the host holds', () => {
  expect(resolveEnv({ PATH_LIKE: '/a:${PATH:-/b}:${NONE:-}' })).toEqual({
    env: { PATH_LIKE: '/a:/b:' },
    missing: [],
    defaulted: ['PATH_LIKE'],
  });
});

test('a template without a default is missing', () => {
  expect(resolveEnv({ KEY: '${PATH}', OTHER: '${A:-1}${B}' }).missing).toEqual([
    { key: 'KEY', variable: 'PATH' },
    { key: 'OTHER', variable: 'B' },
  ]);
});

test('no value ever holds text of the host', () => {
  process.env['ASSAY_CANARY'] = 'canary-7f3a';
  fc.assert(
    fc.property(fc.constantFrom('', ':-', ':-x', ':x'), (tail) => {
      const { env } = resolveEnv({ A: `\${ASSAY_CANARY${tail}}` });
      expect(JSON.stringify(env)).not.toContain('canary-7f3a');
    }),
  );
  delete process.env['ASSAY_CANARY'];
});
