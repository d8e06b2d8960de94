import { InstanceId } from '@assay/contracts';
import fc from 'fast-check';
import { imageFor, officialImage } from './image-name';
import { parseImage } from './image-reference';

test('the official image is in lower case and has no two underscores in a row', () => {
  expect(officialImage('django__django-11099')).toBe('swebench/sweb.eval.x86_64.django_1776_django-11099:latest');
  expect(officialImage('Owner__Repo__x-1')).toBe('swebench/sweb.eval.x86_64.owner_1776_repo_1776_x-1:latest');
});

// The names that image_builder/image_spec of SWE-bench 5.0.2 gives for the same arguments.
test.each([
  [{ imageArch: 'arm64' }, 'swebench/sweb.eval.arm64.astropy_1776_astropy-7606:latest'],
  [{ imageNamespace: 'SweReBench' }, 'swerebench/sweb.eval.x86_64.astropy_1776_astropy-7606:latest'],
  [{ imageNamespace: 'my__org' }, 'my_1776_org/sweb.eval.x86_64.astropy_1776_astropy-7606:latest'],
  [{ imageNamespace: null }, 'sweb.eval.x86_64.astropy__astropy-7606:latest'],
] as const)('with %j the official image is %s', (naming, expected) => {
  expect(officialImage('astropy__astropy-7606', naming)).toBe(expected);
});

const row = { instanceId: InstanceId.parse('sympy__sympy-20590'), image: 'own/image:1' };

test.each([
  [{}, 'own/image:1'],
  [{ imagePrefix: 'registry.example/' }, 'registry.example/own/image:1'],
  [{ imageArch: 'arm64' as const, imageNamespace: null }, 'own/image:1'],
  [{ imageTemplate: 'assay/{name}:local' }, 'assay/sympy-20590:local'],
  [{ imageTemplate: 'mirror/{instance}' }, 'mirror/sympy__sympy-20590'],
  [{ imageTemplate: 'one:1', imagePrefix: 'ignored/' }, 'one:1'],
])('with %j the image is %s', (naming, expected) => {
  expect(imageFor(row, naming)).toBe(expected);
});

test('a row without an image has the official one, with the prefix, architecture and namespace of the suite', () => {
  const naming = { imagePrefix: 'registry.example/', imageArch: 'arm64' as const, imageNamespace: 'mirror' };
  const without = { ...row, image: null };
  expect(imageFor(without, {})).toBe('swebench/sweb.eval.x86_64.sympy_1776_sympy-20590:latest');
  expect(imageFor(without, naming)).toBe('registry.example/mirror/sweb.eval.arm64.sympy_1776_sympy-20590:latest');
});

describe('an image name', () => {
  const digest = `sha256:${'0f'.repeat(32)}`;

  test.each([
    ['ubuntu', undefined],
    ['swebench/sweb.eval.x86_64.django_1776_django-11099:latest', undefined],
    ['docker.io/swebench/a', undefined],
    ['localhost:5000/a/b:1.2-x_Y', undefined],
    ['[::1]:5000/a', undefined],
    ['ghcr.io/epoch-research/swe-bench.eval.x86_64.astropy__astropy-12907', undefined],
    ['a/b:tag', digest],
    ['registry.example:443/a/b', digest],
  ])('%s (digest %s) is one', (reference, given) => {
    const parsed = parseImage(given === undefined ? reference : `${reference}@${given}`);
    expect(parsed).toEqual({ kind: 'reference', reference, ...(given === undefined ? {} : { digest: given }) });
  });

  test.each([
    '',
    'Own/Image',
    'Own/image',
    'a b',
    'a//b',
    '/a',
    'a/',
    'a:',
    'a:b:c',
    'a:-x',
    'a@sha256:0f',
    `a@${digest.toUpperCase()}`,
    `a@md5:${'0f'.repeat(16)}`,
    `@${digest}`,
    `a@${digest}@${digest}`,
    'https://registry.example/a',
    'a\n',
    'a___b',
  ])('%j is none', (text) => {
    expect(parseImage(text)).toBeNull();
  });

  test('is what every official image is, for ids as SWE-bench has them', () => {
    const part = fc.stringMatching(/^[A-Za-z0-9]{1,8}([.-][A-Za-z0-9]{1,8}){0,2}$/);
    fc.assert(
      fc.property(part, part, fc.nat(), (owner, name, number) => {
        const image = officialImage(`${owner}__${name}-${number}`);
        expect(parseImage(image)).toEqual({ kind: 'reference', reference: image });
      }),
    );
  });
});
