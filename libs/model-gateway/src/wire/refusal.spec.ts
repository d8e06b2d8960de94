import { badRequest, limitReached, refusalBody, unavailable, WRONG_TOKEN } from './refusal';

test('each client gets the error in the words of its protocol', () => {
  expect(JSON.parse(refusalBody(WRONG_TOKEN, 'chat'))).toEqual({
    error: {
      message: 'this token belongs to no open trial',
      type: 'authentication_error',
      param: null,
      code: 'assay_token_invalid',
    },
  });
  expect(JSON.parse(refusalBody(WRONG_TOKEN, 'messages'))).toEqual({
    type: 'error',
    error: {
      type: 'authentication_error',
      message: 'this token belongs to no open trial',
      code: 'assay_token_invalid',
    },
  });
  expect(JSON.parse(refusalBody(WRONG_TOKEN, 'gemini'))).toEqual({
    error: {
      code: 401,
      message: 'this token belongs to no open trial',
      status: 'UNAUTHENTICATED',
      details: [
        { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'assay_token_invalid', domain: 'assay' },
      ],
    },
  });
});

test.each([
  ['calls', 'trial', "the trial's number of model calls is used up; further calls are refused"],
  ['tokens', 'run', "the run's number of tokens is used up; further calls are refused"],
  ['cost', 'trial', "the trial's money is used up; further calls are refused"],
  ['time', 'trial', "the trial's time is used up; further calls are refused"],
] as const)('a bound of %s of the %s ends an agent at once instead of being tried again', (kind, of, message) => {
  expect(limitReached(kind, of)).toEqual({
    status: 403,
    code: `assay_limit_${kind}`,
    message,
    headers: { 'x-should-retry': 'false' },
  });
});

test('what will not get better is not to be tried again, what may is', () => {
  expect(badRequest('assay_x', 'x').headers).toEqual({ 'x-should-retry': 'false' });
  expect(unavailable('assay_x', 'x', 1500).headers).toEqual({ 'retry-after': '2' });
  expect(unavailable('assay_x', 'x').headers).toEqual({});
});
