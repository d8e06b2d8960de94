import { createPublicKey, type JsonWebKey, verify } from 'node:crypto';
import { OidcIssuer } from './oidc-issuer';

let issuer: OidcIssuer;
beforeEach(async () => {
  issuer = await OidcIssuer.start();
});
afterEach(() => issuer.stop());

interface Jwks {
  readonly keys: (JsonWebKey & { readonly kid: string })[];
}

async function served(): Promise<Jwks> {
  return (await (await fetch(`${issuer.url}/.well-known/jwks`)).json()) as Jwks;
}

async function isGood(token: string): Promise<boolean> {
  const [header, body, signature] = token.split('.') as [string, string, string];
  const { kid } = JSON.parse(Buffer.from(header, 'base64url').toString()) as { kid: string };
  const jwk = (await served()).keys.find((key) => key.kid === kid);
  if (jwk === undefined) return false;
  const key = createPublicKey({ key: jwk, format: 'jwk' });
  return verify('sha256', Buffer.from(`${header}.${body}`), key, Buffer.from(signature, 'base64url'));
}

function claimsOf(token: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as Record<string, unknown>;
}

test('a token is signed by the key that is served, and says what it was told to', async () => {
  issuer.claims = { repository: 'other/one' };
  const token = issuer.token({ ref: 'refs/heads/main' });
  expect(await isGood(token)).toBe(true);
  expect(claimsOf(token)).toMatchObject({ repository: 'other/one', ref: 'refs/heads/main', iss: issuer.url });
  expect(claimsOf(token)['jti']).not.toBe(claimsOf(issuer.token())['jti']);
});

test('after a rotation earlier tokens are signed by nobody, and new ones are good', async () => {
  const earlier = issuer.token();
  issuer.rotate();
  expect([await isGood(earlier), await isGood(issuer.token())]).toEqual([false, true]);
});

test.each([[{ wrongKey: true }], [{ alg: 'none' as const }], [{ alg: 'HS256' as const }], [{ kid: 'ghost' }]])(
  'a forgery is none of its own: %j',
  async (forgery) => {
    expect(await isGood(issuer.token({}, forgery))).toBe(false);
  },
);

test('a runner gets a token for the audience that it names, with its request token only', async () => {
  const ask = (token: string) =>
    fetch(`${issuer.requestUrl}&audience=mine`, { headers: { authorization: `Bearer ${token}` } });
  const { value } = (await (await ask(issuer.requestToken)).json()) as { value: string };
  expect(await isGood(value)).toBe(true);
  expect(claimsOf(value)['aud']).toBe('mine');
  expect((await ask('guess')).status).toBe(401);
});

test('its keys can be out of reach for a while', async () => {
  issuer.fail(503);
  expect((await fetch(`${issuer.url}/.well-known/jwks`)).status).toBe(503);
  issuer.mend();
  expect((await served()).keys).toHaveLength(1);
  expect(issuer.keyRequests).toBe(2);
});
