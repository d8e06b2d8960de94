import { pathProblem } from './plain-requests';

test.each([
  '/',
  '/v1/runs',
  '/v1/runs/',
  '/v1/runs?a=..//%2f',
  '/v1/runs/a%20b',
  '/docs/swagger-ui.css',
  '/v1/runs/a..b',
])('%s can be read in one way', (target) => {
  expect(pathProblem(target)).toBeNull();
});

test.each([
  ['', 'begin with a slash'],
  ['*', 'begin with a slash'],
  ['http://host/v1', 'begin with a slash'],
  ['/a/../b', 'no . or ..'],
  ['/a/.', 'no . or ..'],
  ['/a//b', 'no empty part'],
  ['/a/%2E%2e/b', 'no encoded slash or dot'],
  ['/a%2Fb', 'no encoded slash or dot'],
  ['/a%5Cb', 'no encoded slash or dot'],
  [String.raw`/a\b`, 'no backslash'],
  ['/a%00', 'no control character'],
  ['/a%7f', 'no control character'],
  ['/a%0d%0ab', 'no control character'],
  ['/%252e', 'no encoded percent sign'],
  ['/%25', 'no encoded percent sign'],
  ['/%zz', 'encode UTF-8'],
  ['/%c0%ae', 'encode UTF-8'],
  ['/a/../b?x', 'no . or ..'],
])('%j is refused: expected %s', (target, problem) => {
  expect(pathProblem(target)).toContain(problem);
});
