import { freePort, OidcIssuer, type Claims, type Forgery } from '@assay/testing';
import { lastUseOf, OidcVerifier } from './oidc-verifier';
import type { TokenRefusal } from './token-verdict';

let issuer: OidcIssuer;
let verifier: OidcVerifier;

beforeEach(async () => {
  issuer = await OidcIssuer.start();
  verifier = new OidcVerifier({ issuer: issuer.url, audience: 'assay' });
});
afterEach(() => issuer.stop());

const seconds = () => Math.floor(Date.now() / 1000);

test('a good token is verified, and its claims are what was signed', async () => {
  const verdict = await verifier.verify(issuer.token({ actor: 'hubot' }));
  expect(verdict).toMatchObject({
    answer: 'verified',
    claims: { repository: 'acme/agent', repository_id: '9001', actor: 'hubot', event_name: 'release' },
  });
});

test('keys are asked for once for many tokens', async () => {
  await verifier.verify(issuer.token());
  await Promise.all(Array.from({ length: 10 }, () => verifier.verify(issuer.token())));
  expect(issuer.keyRequests).toBe(1);
});

test('many tokens of unknown keys do not make it ask again and again', async () => {
  await verifier.verify(issuer.token());
  for (let n = 0; n < 5; n += 1) await verifier.verify(issuer.token({}, { kid: `ghost-${n}` }));
  expect(issuer.keyRequests).toBe(1);
});

test.each<[string, () => Claims, Forgery, TokenRefusal]>([
  ['no algorithm', () => ({}), { alg: 'none' }, 'algorithm_not_allowed'],
  ['the public key taken for a shared secret', () => ({}), { alg: 'HS256' }, 'algorithm_not_allowed'],
  ['an unknown key', () => ({}), { kid: 'ghost' }, 'key_unknown'],
  ['another key under the name of the right one', () => ({}), { wrongKey: true }, 'signature_wrong'],
  ['another issuer', () => ({ iss: 'https://evil.example' }), {}, 'issuer_wrong'],
  ['another audience', () => ({ aud: 'sts.amazonaws.com' }), {}, 'audience_wrong'],
  ['two audiences, ours among them', () => ({ aud: ['assay', 'other'] }), {}, 'audience_wrong'],
  ['its one audience in a list', () => ({ aud: ['assay'] }), {}, 'audience_wrong'],
  ['no audience', () => ({ aud: undefined }), {}, 'audience_wrong'],
  ['its end behind it', () => ({ exp: seconds() - 31 }), {}, 'token_expired'],
  ['an age of more than ten minutes', () => ({ iat: seconds() - 640, exp: seconds() + 999 }), {}, 'token_expired'],
  ['its beginning before it', () => ({ nbf: seconds() + 60 }), {}, 'token_not_yet_valid'],
  ['its making before it', () => ({ iat: seconds() + 60 }), {}, 'token_not_yet_valid'],
  ['no end', () => ({ exp: undefined }), {}, 'claim_wrong'],
  ['no number of its own', () => ({ jti: undefined }), {}, 'claim_wrong'],
  ['no time of its making', () => ({ iat: undefined }), {}, 'claim_wrong'],
  ['no repository id', () => ({ repository_id: undefined }), {}, 'claim_wrong'],
  ['a repository id that is no number', () => ({ repository_id: '9001 or 1' }), {}, 'claim_wrong'],
  ['no workflow', () => ({ job_workflow_ref: undefined }), {}, 'claim_wrong'],
])('a token with %s is refused', async (_name, claims, forgery, reason) => {
  const verdict = await verifier.verify(issuer.token(claims(), forgery));
  expect(verdict).toMatchObject({ answer: 'refused', reason });
});

test.each(['', 'x', 'a.b.c', 'e30.e30.e30', 'bm9uZQ.bm9uZQ.', `${'a'.repeat(4000)}.b.c`])(
  'what is no token (%j) is refused',
  async (text) => {
    expect(await verifier.verify(text)).toMatchObject({ answer: 'refused' });
  },
);

test('a token whose claims were changed after it was signed is refused', async () => {
  const [header, body, signature] = issuer.token().split('.') as [string, string, string];
  const claims = JSON.parse(Buffer.from(body, 'base64url').toString()) as Claims;
  const changed = Buffer.from(JSON.stringify({ ...claims, repository_id: '1' })).toString('base64url');
  const verdict = await verifier.verify(`${header}.${changed}.${signature}`);
  expect(verdict).toMatchObject({ answer: 'refused', reason: 'signature_wrong' });
});

test('clocks may differ by half a minute', async () => {
  const claims = { iat: seconds() + 20, nbf: seconds() + 20 };
  expect((await verifier.verify(issuer.token(claims))).answer).toBe('verified');
  expect((await verifier.verify(issuer.token({ exp: seconds() - 20 }))).answer).toBe('verified');
});

describe('keys that cannot be had are never the fault of the token:', () => {
  test.each([500, 404, 200])('answered %d without keys', async (status) => {
    issuer.fail(status);
    expect(await verifier.verify(issuer.token())).toMatchObject({
      answer: 'unavailable',
      message: expect.stringMatching(/^the issuer's keys cannot be had: /) as string,
    });
    issuer.mend();
    expect((await verifier.verify(issuer.token())).answer).toBe('verified');
  });

  test('an issuer that is away', async () => {
    const away = new OidcVerifier({ issuer: `http://127.0.0.1:${await freePort()}`, audience: 'assay' });
    expect(await away.verify(issuer.token())).toMatchObject({
      answer: 'unavailable',
      message: expect.stringContaining('ECONNREFUSED') as string,
    });
  });

  test('an issuer that does not answer', async () => {
    issuer.fail('silent');
    expect((await verifier.verify(issuer.token())).answer).toBe('unavailable');
  });
});

test('the use of a token must be remembered for as long as somebody would take it', () => {
  expect(lastUseOf({ iat: 1000, exp: 1300 })).toBe(1330);
  expect(lastUseOf({ iat: 1000, exp: 999_999 })).toBe(1630);
});
