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
  ['/v1beta/models/m-1:generateContent', '/models/m-1:generateContent', 'm-1'],
  ['/v1/models/m-1:generateContent', '/models/m-1:generateContent', 'm-1'],
  ['/models/gemini-3.1_pro:generateContent', '/models/gemini-3.1_pro:generateContent', 'gemini-3.1_pro'],
  ['/v1beta/models/m-1:streamGenerateContent?alt=sse', '/models/m-1:streamGenerateContent?alt=sse', 'm-1'],
])('of %s the path names the model', (url, upstreamPath, model) => {
  expect(routeOf('POST', url)).toEqual({ kind: 'completion', protocol: 'gemini', upstreamPath, model });
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
  ['GET', '/v1beta/models/m-1:generateContent'],
  ['POST', '/v1beta/models/m-1'],
  ['POST', '/v1beta/models/m-1:countTokens'],
  ['POST', '/v1beta/models/m-1:embedContent'],
  ['POST', '/v1beta/models/m-1:streamGenerateContent'],
  ['POST', '/v1beta/models/m-1:streamGenerateContent?alt=sse&key=x'],
  ['POST', '/v1beta/models/m-1:generateContent?key=x'],
  ['POST', '/v1beta/models/..:generateContent'],
  ['POST', '/v1beta/models/a/../b:generateContent'],
  ['POST', '/v1beta/models/a%2fb:generateContent'],
  ['POST', '/v1beta/models/:generateContent'],
  ['POST', '/v1beta/tunedModels/m-1:generateContent'],
  ['POST', '/v1beta/models/m-1:generateContent\n'],
  ['POST', '/v1alpha/models/m-1:generateContent'],
  ['GET', '__proto__'],
  ['', ''],
])('%s %s goes nowhere', (method, url) => {
  expect(routeOf(method, url)).toBeNull();
});
