import { registryAddresses } from './registry-address';

const HUB = 'https://registry-1.docker.io';

test.each([
  ['ubuntu', HUB, 'library/ubuntu', 'latest'],
  ['docker.io/ubuntu:24.04', HUB, 'library/ubuntu', '24.04'],
  [
    'swebench/sweb.eval.x86_64.django_1776_django-11099:latest',
    HUB,
    'swebench/sweb.eval.x86_64.django_1776_django-11099',
    'latest',
  ],
  ['ghcr.io/owner/name:1', 'https://ghcr.io', 'owner/name', '1'],
  ['registry.example:5443/a/b/c', 'https://registry.example:5443', 'a/b/c', 'latest'],
  ['localhost:5000/a:1', 'http://localhost:5000', 'a', '1'],
  ['127.0.0.1:5000/a/b', 'http://127.0.0.1:5000', 'a/b', 'latest'],
  ['127.0.0.1.example/a/b', 'https://127.0.0.1.example', 'a/b', 'latest'],
])('%s is asked for at %s, as %s with the tag %s', (image, origin, repository, tag) => {
  expect(registryAddresses(image, null)).toEqual([{ origin, repository, tag }]);
});

test('a mirror of Docker Hub is asked first, below its prefix, and only for names of the Hub', () => {
  expect(registryAddresses('swebench/a:1', 'mirror.example:5000/hub/')).toEqual([
    { origin: 'https://mirror.example:5000', repository: 'hub/swebench/a', tag: '1' },
    { origin: HUB, repository: 'swebench/a', tag: '1' },
  ]);
  expect(registryAddresses('ubuntu', 'mirror.example')[0]).toMatchObject({ repository: 'library/ubuntu' });
  expect(registryAddresses('ghcr.io/a/b', 'mirror.example/hub')).toHaveLength(1);
});

test('what is no image name has no address', () => {
  expect(registryAddresses('Not An Image', null)).toEqual([]);
});
