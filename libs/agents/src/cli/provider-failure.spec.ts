import { providerFailure } from './provider-failure';

test.each([
  // as the programs word it, measured against the stand-in
  ['[API Error: 401 bad key]', 'infra', 'model_refused'],
  ['[API Error: 500 scripted 500]', 'infra', 'model_unavailable'],
  ['[API Error: Connection error. (cause: fetch failed)]', 'infra', 'model_unavailable'],
  ['[API Error: terminated]', 'infra', 'model_unavailable'],
  ['terminated (cause: UND_ERR_SOCKET: other side closed)', 'infra', 'model_unavailable'],
  ['Model stream ended with empty response text.', 'infra', 'model_unavailable'],
  ['Failed to authenticate. API Error: 401 scripted 401', 'infra', 'model_refused'],
  ['unexpected status 401 Unauthorized: scripted 401, url: http://127.0.0.1/v1/responses', 'infra', 'model_refused'],
  ['exceeded retry limit, last status: 429 Too Many Requests', 'infra', 'model_unavailable'],
  ['stream disconnected before completion: Transport error: network error', 'infra', 'model_unavailable'],
  ['[API Error: {"error":{"code":503,"message":"x","status":"UNAVAILABLE"}}]', 'infra', 'model_unavailable'],
  ['API Error: 404 NotFoundError: litellm.NotFoundError: no such model', 'infra', 'model_refused'],
  ['API Error: 400 context_length_exceeded', 'agent', 'agent_context_exceeded'],
  ['prompt is too long: 300000 tokens > 200000 maximum', 'agent', 'agent_context_exceeded'],
])('%s', (text, blame, code) => {
  expect(providerFailure(text)).toMatchObject({ blame, code });
});

test.each([
  "TypeError: Cannot read properties of undefined (reading 'x')",
  'AssertionError: expected 500 to equal 401',
  'the tests failed with exit code 1',
  'Killed',
  '',
])('an error of its own is none of the provider: %s', (text) => {
  expect(providerFailure(text)).toBeNull();
});
