import { bearerChallenge } from './bearer-challenge';

test.each([
  [
    'Bearer realm="https://auth.example/token",service="registry.example",scope="repository:a/b:pull"',
    { realm: 'https://auth.example/token', service: 'registry.example', scope: 'repository:a/b:pull' },
  ],
  ['bearer  realm="https://auth.example/\\"x"', { realm: 'https://auth.example/"x', service: null, scope: null }],
  ['Basic realm="registry"', null],
  ['Bearer service="x"', null],
  ['', null],
  [null, null],
])('%s is %j', (header, challenge) => {
  expect(bearerChallenge(header)).toEqual(challenge);
});
