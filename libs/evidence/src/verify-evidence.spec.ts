import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto';
import type { PublicResult, RunResult } from '@assay/contracts';
import { aPublicResult } from '@assay/testing';
import fc from 'fast-check';
import {
  decideAgain,
  type Finding,
  keyId,
  newSigningKey,
  readPublicKeys,
  readSigningKey,
  sha256Of,
  signEnvelope,
  signStatement,
  summaryOf,
  verifyEvidence,
} from './index';

const pair = newSigningKey();
const key = readSigningKey(pair.privatePem);
const trusted = readPublicKeys(pair.publicPem);

const RESULT = 'assay-demo-run-1-abcdef01.json';
const ARCHIVE = 'assay-demo-run-1-01abcdef.tar.gz';
const archive = Buffer.from('an archive');

/** A measured run of `resolved` and `unresolved` instances of a benchmark of that size. */
function measured(resolved: number, unresolved: number): PublicResult {
  const size = resolved + unresolved;
  const base = aPublicResult({
    publish: 'score',
    benchmarkSize: size,
    gate: {
      kind: 'benchmark',
      expectedInstances: size,
      errorThreshold: 1,
      forgedMarker: 'quarantine',
      gradeOnly: false,
      budgetReached: null,
    },
    instances: Array.from({ length: size }, (_, n) => ({
      id: `i-${n}` as never,
      sample: 0,
      state: n < resolved ? ('RESOLVED' as const) : ('UNRESOLVED' as const),
      attempts: 1,
      failure: null,
      limit: null,
      suspicions: [],
      hasResult: true,
      hasTrajectory: true,
    })),
  });
  const { status, counts, score, reasons } = decideAgain(base);
  return { ...base, status, counts, score, reasons };
}

const result = measured(3, 1);
const text = JSON.stringify(result);

interface Files {
  readonly text?: string;
  readonly archive?: Buffer;
  readonly signed?: PublicResult;
  readonly envelope?: string;
}

/** The findings about files that were signed as they were, and are now as given. */
function findings({
  text: now = text,
  archive: packed = archive,
  signed = result,
  envelope,
}: Files): readonly Finding[] {
  const files = [
    { name: RESULT, sha256: sha256Of(Buffer.from(JSON.stringify(signed))) },
    { name: ARCHIVE, sha256: sha256Of(archive) },
  ];
  const statement = JSON.stringify(signStatement(summaryOf(signed), signed.manifestDigest, files, key));
  return verifyEvidence(
    {
      envelope: envelope ?? statement,
      files: [
        { name: RESULT, sha256: sha256Of(Buffer.from(now)) },
        { name: ARCHIVE, sha256: sha256Of(packed) },
      ],
      result: { name: RESULT, text: now },
    },
    trusted,
  ).findings;
}

const signedEnvelope = () =>
  signStatement(summaryOf(result), result.manifestDigest, [{ name: RESULT, sha256: sha256Of(Buffer.from(text)) }], key);

test('what is as it was signed has no findings, and the key is named', () => {
  expect(findings({})).toEqual([]);
  const verdict = verifyEvidence(
    {
      envelope: JSON.stringify(signedEnvelope()),
      files: [{ name: RESULT, sha256: sha256Of(Buffer.from(text)) }],
      result: null,
    },
    trusted,
  );
  expect(verdict).toMatchObject({ findings: [], signedBy: keyId(key) });
  expect(verdict.statement).toMatchObject({
    _type: 'https://in-toto.io/Statement/v1',
    predicateType: 'https://in-toto.io/attestation/test-result/v0.1',
    predicate: { result: 'PASSED', configuration: [{ name: 'manifest', digest: { sha256: result.manifestDigest } }] },
  });
});

test('a changed result is told, and which field was changed', () => {
  const better = { ...result, counts: { ...result.counts, resolved: 4, unresolved: 0 } };
  const messages = findings({ text: JSON.stringify(better) }).map(({ message }) => message);
  expect(messages[0]).toMatch(/^assay-demo-run-1-abcdef01\.json was changed: its sha256 is [0-9a-f]{64}, signed is /);
  expect(messages).toContain(`${RESULT}: counts.resolved is 4, signed is 3`);
  expect(messages).toContain(`${RESULT}: counts.resolved is 4, its instances give 3`);
});

test('a result that was signed but does not follow from its instances is told', () => {
  const wrong = { ...result, score: { ...result.score, percent: 99 } } as PublicResult;
  expect(findings({ signed: wrong, text: JSON.stringify(wrong) })).toEqual([
    { about: 'gate', message: `${RESULT}: score.percent is 99, its instances give 75` },
  ]);
});

test('an instance turned around is told by the counts it gives', () => {
  const [first, ...rest] = result.instances;
  const turned = { ...result, instances: [{ ...first, state: 'UNRESOLVED' }, ...rest] } as PublicResult;
  const found = findings({ signed: turned, text: JSON.stringify(turned) });
  expect(found).toContainEqual({
    about: 'gate',
    message: `${RESULT}: counts.resolved is 3, its instances give 2`,
  });
});

test('a score on a run that its errors quarantine is told', () => {
  const [first, ...rest] = result.instances;
  const broken = { ...result, instances: [{ ...first, state: 'INFRA_FAILED' }, ...rest] } as PublicResult;
  const found = findings({ signed: broken, text: JSON.stringify(broken) }).map(({ message }) => message);
  expect(found).toContain(`${RESULT}: status is "SUCCEEDED", its instances give "QUARANTINED"`);
  expect(found.some((message) => message.startsWith(`${RESULT}: score is {`))).toBe(true);
});

test('of a run that FAILED there is no gate to decide again, but every field is signed', () => {
  const { schemaVersion, runId, suite, title, model, release, trigger, githubRunUrl, traceId } = result;
  const lost: RunResult = {
    ...{ schemaVersion, runId, suite, title, model, release, trigger, githubRunUrl, traceId },
    status: 'FAILED',
    evaluated: { ref: 'v1.2.0', commit: null, packageVersion: null },
    failure: { code: 'package_late', message: 'the package never came' },
    submittedAt: '2026-01-01T00:00:00Z',
    finishedAt: '2026-01-01T01:30:00Z',
  };
  const text = JSON.stringify(lost);
  const files = [{ name: RESULT, sha256: sha256Of(Buffer.from(text)) }];
  const envelope = JSON.stringify(signStatement(summaryOf(lost), null, files, key));
  const verdict = verifyEvidence({ envelope, files, result: { name: RESULT, text } }, trusted);
  expect(verdict).toMatchObject({ findings: [], statement: { predicate: { result: 'FAILED', configuration: [] } } });
  const other = JSON.stringify({ ...lost, evaluated: { ...lost.evaluated, commit: 'a'.repeat(40) } });
  const { findings: found } = verifyEvidence({ envelope, files, result: { name: RESULT, text: other } }, trusted);
  expect(found.map(({ message }) => message)).toEqual([
    `${RESULT}: evaluated.commit is "${'a'.repeat(40)}", signed is null`,
  ]);
});

test('a changed or missing archive is told by name', () => {
  expect(findings({ archive: Buffer.from('another') })).toEqual([
    {
      about: 'file',
      message: `${ARCHIVE} was changed: its sha256 is ${sha256Of(Buffer.from('another'))}, signed is ${sha256Of(archive)}`,
    },
  ]);
  const { findings: found } = verifyEvidence(
    { envelope: JSON.stringify(signedEnvelope()), files: [], result: null },
    trusted,
  );
  expect(found).toEqual([{ about: 'file', message: `${RESULT} is signed, but not there` }]);
});

describe('a signature', () => {
  test('over another payload is told as a change after signing', () => {
    const envelope = signedEnvelope();
    const payload = Buffer.from(
      Buffer.from(envelope.payload, 'base64').toString().replace('"resolved":3', '"resolved":4'),
    );
    const changed = JSON.stringify({ ...envelope, payload: payload.toString('base64') });
    const messages = findings({ envelope: changed }).map(({ message }) => message);
    expect(messages[0]).toBe(
      `the signature of key ${keyId(key)} does not fit: the statement or its signature was changed after signing`,
    );
  });

  test.each([0, 31, 63])('with one bit changed at byte %d does not fit', (at) => {
    const envelope = signedEnvelope();
    const sig = Buffer.from(envelope.signatures[0]?.sig ?? '', 'base64');
    sig[at] = (sig[at] ?? 0) ^ 1;
    const changed = { ...envelope, signatures: [{ keyid: keyId(key), sig: sig.toString('base64') }] };
    expect(findings({ envelope: JSON.stringify(changed) })[0]?.about).toBe('signature');
  });

  test('by a key that is not trusted names both', () => {
    const other = newSigningKey();
    const envelope = signStatement(
      summaryOf(result),
      null,
      [{ name: 'x', sha256: 'a'.repeat(64) }],
      readSigningKey(other.privatePem),
    );
    const { signedBy, findings: found } = verifyEvidence(
      { envelope: JSON.stringify(envelope), files: [], result: null },
      trusted,
    );
    expect(signedBy).toBeNull();
    expect(found[0]?.message).toBe(
      `no trusted key signed it: it names ${keyId(readSigningKey(other.privatePem))}, trusted are ${keyId(key)}`,
    );
  });

  test('is found whatever key id it names, and with several trusted keys', () => {
    const envelope = signedEnvelope();
    const nameless = { ...envelope, signatures: [{ ...envelope.signatures[0], keyid: '' }] };
    const keys = [...readPublicKeys(newSigningKey().publicPem), ...trusted];
    const verdict = verifyEvidence({ envelope: JSON.stringify(nameless), files: [], result: null }, keys);
    expect(verdict).toMatchObject({ signedBy: keyId(key), warnings: [] });
  });

  test('that names another key id is of its key all the same, and a warning tells both ids', () => {
    const envelope = signedEnvelope();
    const changed = { ...envelope, signatures: [{ ...envelope.signatures[0], keyid: 'f'.repeat(64) }] };
    const verdict = verifyEvidence({ envelope: JSON.stringify(changed), files: [], result: null }, trusted);
    expect(verdict.signedBy).toBe(keyId(key));
    expect(verdict.warnings).toEqual([
      expect.stringContaining(`names the key ${'f'.repeat(64)}, but it is of the trusted key ${keyId(key)}`),
    ]);
    expect(verifyEvidence({ envelope: JSON.stringify(envelope), files: [], result: null }, trusted).warnings).toEqual(
      [],
    );
  });

  test('covers the type of the payload', () => {
    const envelope = { ...signedEnvelope(), payloadType: 'application/json' };
    const abouts = findings({ envelope: JSON.stringify(envelope) }).map(({ about }) => about);
    expect(abouts).toEqual(['signature', 'statement']);
  });
});

test.each([
  ['no JSON', 'x', 'statement'],
  ['no envelope', '{"payload":1}', 'statement'],
  ['no signature', JSON.stringify({ payloadType: 'a', payload: '', signatures: [] }), 'statement'],
])('%s is told', (_, envelope, about) => {
  expect(findings({ envelope })[0]?.about).toBe(about);
});

test('a result or statement that was cut off is told to be no JSON, and where it ends', () => {
  const pretty = JSON.stringify(result, null, 2);
  const cut = pretty.slice(0, pretty.indexOf('"suite"') + 3);
  const column = cut.length - cut.lastIndexOf('\n') - 1;
  const end = `it ends in line ${cut.split('\n').length}, column ${column}`;
  expect(findings({ text: cut }).map(({ message }) => message)).toContainEqual(
    expect.stringMatching(new RegExp(`^${RESULT} is no JSON: .+; ${end}$`)),
  );
  expect(findings({ envelope: '{"payloadType":' })).toEqual([
    {
      about: 'statement',
      message: expect.stringMatching(/^the statement is no JSON: .+; it ends in line 1, column 15$/) as string,
    },
  ]);
  expect(findings({ text: '[]' }).map(({ message }) => message)).toContainEqual(
    expect.stringMatching(/\.json is no result: Invalid input/),
  );
});

test('a file that could not be read is told by that', () => {
  const files = [{ name: RESULT, trouble: 'is a folder: expected a file' }];
  const { findings: found } = verifyEvidence(
    { envelope: JSON.stringify(signedEnvelope()), files, result: null },
    trusted,
  );
  expect(found).toEqual([{ about: 'file', message: `${RESULT} is a folder: expected a file` }]);
});

test('a signed text that is no result of ours is told by field', () => {
  expect(findings({ text: JSON.stringify({ ...result, counts: 7 }) }).map(({ message }) => message)).toContainEqual(
    expect.stringMatching(/is no result: counts: /),
  );
});

test('the pre-authentication encoding is that of the specification', () => {
  // The worked example of https://github.com/secure-systems-lab/dsse/blob/master/protocol.md, signed here by ed25519.
  const { signatures } = signEnvelope('http://example.com/HelloWorld', Buffer.from('hello world'), key);
  const bytes = Buffer.from('DSSEv1 29 http://example.com/HelloWorld 11 hello world');
  const { verify } = jest.requireActual<typeof import('node:crypto')>('node:crypto');
  expect(verify(null, bytes, createPublicKey(pair.publicPem), Buffer.from(signatures[0]?.sig ?? '', 'base64'))).toBe(
    true,
  );
});

test('a key id is the sha256 of the public key, for both halves', () => {
  const der = createPublicKey(pair.publicPem).export({ type: 'spki', format: 'der' });
  expect([keyId(key), keyId(trusted[0] ?? key)]).toEqual(Array(2).fill(createHash('sha256').update(der).digest('hex')));
});

describe('a key file', () => {
  const ofAnotherKind = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });

  test.each([
    ['is empty', '', /no PEM block/],
    ['is plain text', 'hello', /no PEM block/],
    ['holds no key', '-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----', /text that is no such key/],
    ['holds a key of another kind', ofAnotherKind.publicKey, /a key of type ec/],
    ['holds a private key', pair.privatePem, /a private key/],
  ])('of public keys that %s is refused', (_, pem, reason) => {
    expect(() => readPublicKeys(pem)).toThrow(reason);
  });

  test('of a private key that is none is refused, and its text is not said', () => {
    expect(() => readSigningKey('secret-text')).toThrow(
      expect.objectContaining({
        code: 'signing_key_invalid',
        message: expect.not.stringContaining('secret-text') as string,
      }) as Error,
    );
    expect(() => readSigningKey(pair.publicPem)).toThrow(/ed25519 private key/);
  });

  test('may hold several public keys', () => {
    expect(readPublicKeys(`${pair.publicPem}\n${newSigningKey().publicPem}`)).toHaveLength(2);
  });
});

test('property: no change of a character of a result passes', () => {
  expect(createPrivateKey(pair.privatePem).asymmetricKeyType).toBe('ed25519');
  fc.assert(
    fc.property(fc.nat(text.length - 1), fc.constantFrom('0', '1', 'x', '"', ' '), (at, put) => {
      fc.pre(text[at] !== put);
      expect(findings({ text: text.slice(0, at) + put + text.slice(at + 1) })).not.toEqual([]);
    }),
  );
});
