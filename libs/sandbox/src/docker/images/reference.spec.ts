import { byDigest, mirrored, registryOf } from './reference';

test.each([
  ['node:22', 'docker.io'],
  ['swebench/sweb.eval.x86_64.sympy:latest', 'docker.io'],
  ['docker.io/library/node', 'docker.io'],
  ['ghcr.io/owner/image@sha256:00', 'ghcr.io'],
  ['127.0.0.1:5000/a', '127.0.0.1:5000'],
  ['localhost/a', 'localhost'],
])('%s is in the registry %s', (reference, registry) => {
  expect(registryOf(reference)).toBe(registry);
});

test.each([
  ['node:22', 'mirror.example/library/node:22'],
  ['swebench/image:latest', 'mirror.example/swebench/image:latest'],
  ['docker.io/swebench/image@sha256:00', 'mirror.example/swebench/image@sha256:00'],
  ['ghcr.io/owner/image', null],
])('a mirror of Docker Hub has %s as %s', (reference, expected) => {
  expect(mirrored(reference, 'mirror.example')).toBe(expected);
  expect(mirrored(reference, 'mirror.example/')).toBe(expected);
});

test.each([
  ['node:22', 'node@sha256:1'],
  ['registry:5000/a/b:tag', 'registry:5000/a/b@sha256:1'],
  ['registry:5000/a/b', 'registry:5000/a/b@sha256:1'],
  ['a/b:tag@sha256:0', 'a/b@sha256:1'],
])('%s by its digest is %s', (reference, expected) => {
  expect(byDigest(reference, 'sha256:1')).toBe(expected);
});
