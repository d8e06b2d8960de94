import { loadConfig } from '@assay/service-kit';
import { z } from 'zod';
import { edgeConfig, edgeTogether } from './edge-config';

const schema = edgeTogether(z.object({ ...edgeConfig(), ASSAY_POLICY_FILE: z.string().optional() }));
const load = (env: NodeJS.ProcessEnv) => loadConfig(schema, env);

test('without settings nobody but holders of our own tokens calls, over plain HTTP, and no proxy is believed', () => {
  const config = load({});
  expect(config).toMatchObject({
    ASSAY_OIDC_ISSUER: 'https://token.actions.githubusercontent.com',
    ASSAY_OIDC_ALLOW_HTTP: false,
    ASSAY_AUDIT_DAYS: 365,
  });
  for (const name of ['ASSAY_OIDC_AUDIENCE', 'ASSAY_TLS_CERT_FILE', 'ASSAY_TRUSTED_PROXIES'] as const) {
    expect(config[name]).toBeUndefined();
  }
});

test.each<[string, NodeJS.ProcessEnv, string]>([
  ['an issuer without TLS', { ASSAY_OIDC_ISSUER: 'http://127.0.0.1:9' }, 'ASSAY_OIDC_ISSUER: expected an https: URL'],
  ['an audience without a policy', { ASSAY_OIDC_AUDIENCE: 'a' }, 'ASSAY_OIDC_AUDIENCE: expected ASSAY_POLICY_FILE'],
  ['a certificate without its key', { ASSAY_TLS_CERT_FILE: '/c' }, 'ASSAY_TLS_CERT_FILE: expected both'],
  ['a key without its certificate', { ASSAY_TLS_KEY_FILE: '/k' }, 'ASSAY_TLS_CERT_FILE: expected both'],
  [
    'two certificates',
    { ASSAY_TLS_CERT_FILE: '/c', ASSAY_TLS_KEY_FILE: '/k', ASSAY_TLS_SELF_SIGNED_DIR: '/d' },
    'ASSAY_TLS_SELF_SIGNED_DIR: expected none beside',
  ],
  ['a proxy by its name', { ASSAY_TRUSTED_PROXIES: 'proxy.example' }, 'ASSAY_TRUSTED_PROXIES: expected addresses'],
  ['every proxy that there is', { ASSAY_TRUSTED_PROXIES: '0.0.0.0/0' }, 'ASSAY_TRUSTED_PROXIES: expected addresses'],
  [
    'a network that is too narrow',
    { ASSAY_TRUSTED_PROXIES: '10.0.0.0/33' },
    'ASSAY_TRUSTED_PROXIES: expected addresses',
  ],
  ['no limit', { ASSAY_RATE_PER_ADDRESS: '0' }, 'ASSAY_RATE_PER_ADDRESS: expected a whole number of at least 1'],
  ['an audit log that keeps nothing', { ASSAY_AUDIT_DAYS: '0' }, 'ASSAY_AUDIT_DAYS: expected a whole number from 1'],
])('%s is refused by name', (_name, env, message) => {
  expect(() => load(env)).toThrow(message);
});

test('an issuer without TLS is taken where a test says so', () => {
  const env = { ASSAY_OIDC_ISSUER: 'http://127.0.0.1:9', ASSAY_OIDC_ALLOW_HTTP: 'true' };
  expect(load(env).ASSAY_OIDC_ISSUER).toBe('http://127.0.0.1:9');
});

test.each(['loopback', '10.0.0.1', '10.0.0.0/8, ::1', 'fd00::/8,uniquelocal'])('%s are proxies', (text) => {
  expect(load({ ASSAY_TRUSTED_PROXIES: text }).ASSAY_TRUSTED_PROXIES).toHaveLength(text.split(',').length);
});
