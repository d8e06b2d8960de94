import { routeOf } from './routes';

test.each([
  ['POST', '/v1/chat/completions', '/chat/completions', 'chat'],
  ['POST', '/chat/completions', '/chat/completions', 'chat'],
  ['POST', '/v1/responses', '/responses', 'responses'],
  ['POST', '/responses', '/responses', 'responses'],
  ['POST', '/v1/messages', '/messages', 'messages'],
  ['POST', '/messages', '/messages', 'messages'],
  ['POST', '/v1/messages?beta=true', '/messages?beta=true', 'messages'],
  ['GET', '/v1/models', '/models', 'chat'],
  ['GET', '/models', '/models', 'chat'],
])('%s %s goes to %s', (method, url, upstreamPath, protocol) => {
  expect(routeOf(method, url)).toMatchObject({ upstreamPath, protocol });
});

test.each([
  ['GET', '/v1/chat/completions'],
  ['POST', '/v1/models'],
  ['DELETE', '/v1/responses'],
  ['POST', '/'],
  ['POST', '/v1'],
  ['POST', '/v1/'],
  ['POST', '/v1/chat/completions/'],
  ['POST', '/v1/chat/completions?x=1'],
  ['POST', '/v1/chat/completions#x'],
  ['POST', '//v1/chat/completions'],
  ['POST', '/v1//chat/completions'],
  ['POST', '/v1/./chat/completions'],
  ['POST', '/v1/../v1/chat/completions'],
  ['POST', '/v1/%63hat/completions'],
  ['POST', '/v1%2fchat%2fcompletions'],
  ['POST', '/V1/chat/completions'],
  ['POST', '/v1/v1/chat/completions'],
  ['POST', '/v1/files'],
  ['POST', '/v1/embeddings'],
  ['POST', 'http://elsewhere/v1/chat/completions'],
  ['POST', '@elsewhere/v1/chat/completions'],
  ['GET', '/v1/models/m-1'],
  ['GET', '__proto__'],
  ['', ''],
])('%s %s goes nowhere', (method, url) => {
  expect(routeOf(method, url)).toBeNull();
});
