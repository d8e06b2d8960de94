import { imageFor, officialImage } from './image-name';

test('the official image is in lower case and has no two underscores in a row', () => {
  expect(officialImage('django__django-11099')).toBe('swebench/sweb.eval.x86_64.django_1776_django-11099:latest');
  expect(officialImage('Owner__Repo__x-1')).toBe('swebench/sweb.eval.x86_64.owner_1776_repo_1776_x-1:latest');
});

const row = { instanceId: 'sympy__sympy-20590', image: 'own/image:1' };

test.each([
  [{}, 'own/image:1'],
  [{ imagePrefix: 'registry.example/' }, 'registry.example/own/image:1'],
  [{ imageTemplate: 'assay/{name}:local' }, 'assay/sympy-20590:local'],
  [{ imageTemplate: 'mirror/{instance}' }, 'mirror/sympy__sympy-20590'],
  [{ imageTemplate: 'one:1', imagePrefix: 'ignored/' }, 'one:1'],
])('with %j the image is %s', (naming, expected) => {
  expect(imageFor(row, naming)).toBe(expected);
});
