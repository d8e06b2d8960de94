import { ContractError } from '@assay/failures';
import { CutShort, isNoKey, isNotFound, isPassing, problemOf, storeFailure } from './s3-failure';

/** An error as the SDK makes it of an answer, or of a connection where there is no status. */
const answer = (name: string, status?: number): Error =>
  Object.assign(new Error(`about ${name}`), {
    name,
    ...(status === undefined ? {} : { $metadata: { httpStatusCode: status } }),
  });
const wordy = (name: string, status: number, message: string): Error =>
  Object.assign(answer(name, status), { message });
const system = (code: string, syscall: string): Error =>
  Object.assign(new Error(`${syscall} ${code}`), { code, syscall });

test.each<[string, Error, string, boolean]>([
  ['no bucket', answer('NoSuchBucket', 404), 'store_bucket_missing', false],
  ['no right', answer('AccessDenied', 403), 'store_denied', false],
  ['no keys', answer('CredentialsProviderError'), 'store_denied', false],
  ['an unknown key', answer('InvalidAccessKeyId', 403), 'store_denied', false],
  ['no login', answer('Unauthorized', 401), 'store_denied', false],
  ['no room', answer('InsufficientStorage', 507), 'store_full', false],
  ['a full file system behind it', wordy('InternalError', 500, 'cause(no space left on device)'), 'store_full', false],
  ['a quota', answer('QuotaExceeded', 403), 'store_full', false],
  ['haste', answer('SlowDown', 503), 'store_busy', true],
  ['haste under another status', answer('SlowDown', 400), 'store_busy', true],
  ['a pause of the service', answer('ServiceUnavailable', 503), 'store_busy', true],
  ['a fault of the service', answer('InternalError', 500), 'artifact_io', true],
  ['bytes that changed on the way', answer('XAmzContentSHA256Mismatch', 400), 'artifact_io', true],
  ['a request it does not take', answer('InvalidArgument', 400), 'artifact_io', false],
  ['a bucket elsewhere', answer('PermanentRedirect', 301), 'artifact_io', false],
  ['a refused connection', system('ECONNREFUSED', 'connect'), 'store_unreachable', true],
  ['a broken pipe', system('EPIPE', 'write'), 'store_unreachable', true],
  ['no answer in time', answer('TimeoutError'), 'store_unreachable', true],
  ['an answer cut short', new CutShort(3, 7), 'store_cut_short', true],
])('%s', (_name, error, code, passing) => {
  expect(problemOf(error)).toMatchObject({ code, passing });
  expect(isPassing(error)).toBe(passing);
  expect(storeFailure('it broke', error, { name: 'patch' }).toFailure()).toMatchObject({ blame: 'infra', code });
});

test('the message says what the service said, and the details keep its word', () => {
  expect(storeFailure('it broke', answer('AccessDenied', 403), { name: 'patch' }).toFailure()).toMatchObject({
    message: 'it broke: AccessDenied: about AccessDenied',
    details: { name: 'patch', answer: 'AccessDenied', status: 403 },
  });
  expect(problemOf(answer('Unknown', 403)).reason).toBe('it answers 403');
  expect(problemOf(new CutShort(3, 7)).reason).toBe('the body ended after 3 of 7 bytes');
});

test('a name with several addresses tells why each was refused', () => {
  const error = new AggregateError([
    system('ECONNREFUSED', 'connect ::1'),
    system('ECONNREFUSED', 'connect 127.0.0.1'),
  ]);
  expect(problemOf(error).reason).toContain('connect ::1 ECONNREFUSED, connect 127.0.0.1 ECONNREFUSED');
});

test.each([
  ['ENOSPC', 'write', 'disk_full'],
  ['EIO', 'read', 'artifact_io'],
  ['ENOENT', 'open', 'artifact_io'],
])('%s of %s is the local disk, and is not tried again', (code, syscall, expected) => {
  expect(isPassing(system(code, syscall))).toBe(false);
  expect(storeFailure('it broke', system(code, syscall), {})).toMatchObject({ code: expected });
});

test('what has blame already keeps it, and is not tried again', () => {
  const known = new ContractError('x', { code: 'artifact_corrupt', phase: 'upload' });
  expect(storeFailure('it broke', known, {})).toBe(known);
  expect(isPassing(known)).toBe(false);
});

test('a missing object is told from a missing bucket', () => {
  expect([answer('NoSuchKey', 404), answer('NoSuchBucket', 404)].map(isNoKey)).toEqual([true, false]);
  expect([answer('NotFound', 404), answer('NoSuchBucket', 404), answer('AccessDenied', 403)].map(isNotFound)).toEqual([
    true,
    false,
    false,
  ]);
});
