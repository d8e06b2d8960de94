import { clientHeaders, shownTokens, upstreamHeaders } from './headers';

const CLIENT = {
  authorization: 'Bearer trial-token',
  'x-api-key': 'trial-token',
  'x-goog-api-key': 'trial-token',
  'x-goog-user-project': 'proj-x',
  'api-key': 'x',
  cookie: 'a=b',
  host: 'elsewhere',
  connection: 'keep-alive',
  'content-length': '99999',
  'transfer-encoding': 'chunked',
  'content-type': 'application/json',
  accept: 'text/event-stream',
  'accept-encoding': 'gzip, br',
  'user-agent': 'QwenCode/0.24.4',
  'openai-organization': 'org-x',
  'openai-project': 'proj-x',
  'x-forwarded-for': '1.2.3.4',
  forwarded: 'for=1.2.3.4',
  'proxy-authorization': 'Basic x',
  'x-stainless-retry-count': '0',
  'anthropic-version': '2023-06-01',
  'anthropic-beta': 'a,b',
};

const PASSED = {
  'content-type': 'application/json',
  accept: 'text/event-stream',
  'accept-encoding': 'identity',
  'user-agent': 'QwenCode/0.24.4',
  'anthropic-version': '2023-06-01',
  'anthropic-beta': 'a,b',
};

test.each([
  ['chat', 'protocol', { authorization: 'Bearer KEY' }],
  ['responses', 'protocol', { authorization: 'Bearer KEY' }],
  ['messages', 'protocol', { 'x-api-key': 'KEY' }],
  ['gemini', 'protocol', { 'x-goog-api-key': 'KEY' }],
  ['gemini', 'bearer', { authorization: 'Bearer KEY' }],
  ['messages', 'bearer', { authorization: 'Bearer KEY' }],
  ['chat', 'x-api-key', { 'x-api-key': 'KEY' }],
] as const)(
  '%s by %s: the key goes out, nothing of the client’s credentials, host and money does',
  (protocol, auth, credential) => {
    expect(upstreamHeaders(CLIENT, { protocol, auth, key: 'KEY' })).toEqual({ ...PASSED, ...credential });
  },
);

test('of the answer only what the client needs comes back, and no value with the key in it', () => {
  const headers = {
    'content-type': 'text/event-stream',
    'content-length': '12',
    'retry-after': '3',
    'x-request-id': 'req-1',
    'request-id': 'KEY-1',
    'set-cookie': ['a=b'],
    'openai-organization': 'org-x',
    'x-ratelimit-remaining-tokens': '5',
    'transfer-encoding': 'chunked',
    connection: 'close',
    location: 'http://elsewhere',
    server: 'x',
  };
  expect(clientHeaders(headers, 'KEY')).toEqual({
    'content-type': 'text/event-stream',
    'content-length': '12',
    'retry-after': '3',
    'x-request-id': 'req-1',
  });
});

test.each([
  [{ authorization: 'Bearer t1' }, ['t1']],
  [{ authorization: 'bearer  t1' }, ['t1']],
  [{ 'x-api-key': 't2' }, ['t2']],
  [{ authorization: 'Bearer t1', 'x-api-key': 't2' }, ['t1', 't2']],
  [{ 'x-goog-api-key': 't3' }, ['t3']],
  [{ authorization: 'Basic dDE=' }, []],
  [{ authorization: 't1' }, []],
  [{ authorization: 'Bearer t1 t2' }, []],
  [{}, []],
])('%j shows %j', (headers, tokens) => {
  expect(shownTokens(headers)).toEqual(tokens);
});
