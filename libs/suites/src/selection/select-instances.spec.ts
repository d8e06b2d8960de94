import type { TaskError } from '@assay/failures';
import { describeWithData, sharedData } from '@assay/testing';
import fc from 'fast-check';
import { datasetIds } from '../swebench/dataset';
import { type InstanceSelection, selectInstances } from './select-instances';
import { sortedIds } from './sorted-ids';

const IDS = ['sympy__sympy-9', 'astropy__astropy-1', 'django__django-10', 'django__django-9', 'Zope__Zope-1'];

test.each<[InstanceSelection, string[]]>([
  [{}, IDS],
  [{ filter: '', slice: '', shuffle: false }, IDS],
  [{ filter: 'django' }, ['django__django-10', 'django__django-9']],
  [{ filter: 'jango' }, []],
  [{ filter: '.*jango' }, ['django__django-10', 'django__django-9']],
  [{ filter: 'django__django-1' }, ['django__django-10']],
  [{ filter: 'django__django-1$' }, []],
  [{ filter: '^(sympy|astropy)' }, ['sympy__sympy-9', 'astropy__astropy-1']],
  [{ filter: 'zope' }, []],
  [{ filter: '(?i)zope' }, ['Zope__Zope-1']],
  [{ slice: '2' }, IDS.slice(0, 2)],
  [{ slice: '1:3' }, IDS.slice(1, 3)],
  [{ slice: '-1:' }, ['Zope__Zope-1']],
  [{ filter: 'd', slice: '1:' }, ['django__django-9']],
])('%j selects %j', (selection, expected) => {
  expect(selectInstances(IDS, selection)).toEqual(expected);
});

// Of Python 3.11: ids = sorted(IDS); random.seed(S); random.shuffle(ids)
test.each([
  [undefined, ['django__django-9', 'astropy__astropy-1', 'django__django-10', 'sympy__sympy-9', 'Zope__Zope-1']],
  [42, ['django__django-9', 'astropy__astropy-1', 'django__django-10', 'sympy__sympy-9', 'Zope__Zope-1']],
  [7, ['sympy__sympy-9', 'Zope__Zope-1', 'django__django-9', 'astropy__astropy-1', 'django__django-10']],
])('shuffled with the seed %s the order is that of Python, whatever order came in', (seed, expected) => {
  expect(selectInstances(IDS, { shuffle: true, seed })).toEqual(expected);
  expect(selectInstances([...IDS].reverse(), { shuffle: true, seed })).toEqual(expected);
});

test('shuffle comes before filter, and filter before slice', () => {
  const selection = { shuffle: true, filter: '.*-9', slice: ':1' };
  expect(selectInstances(IDS, selection)).toEqual(['django__django-9']);
});

test.each<[InstanceSelection, string]>([
  [{ filter: '(' }, 'filter: expected a regular expression, got "("'],
  [{ filter: 'a{,2}' }, 'filter: expected a regular expression, got "a{,2}"'],
  [{ slice: 'a' }, 'slice: expected stop, start:stop or start:stop:step, each a whole number or left out, got "a"'],
  [{ slice: '1:2:3:4' }, 'slice: expected stop, start:stop or start:stop:step'],
  [{ slice: '1.5' }, 'slice: expected stop'],
  [{ slice: '::0' }, 'slice: expected a step other than 0, got "::0"'],
  [{ shuffle: true, seed: -1 }, 'seed: expected a whole number from 0 to 9007199254740991, got -1'],
  [{ shuffle: true, seed: 1.5 }, 'seed: expected a whole number'],
])('%j is refused', (selection, expected) => {
  let thrown: unknown;
  try {
    selectInstances(IDS, selection);
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toMatchObject({ code: 'selection_invalid', blame: 'task' });
  expect((thrown as TaskError).message).toContain(expected);
});

test('a selection leaves its input alone, and selects nothing that is not there and nothing twice', () => {
  const ids = fc.uniqueArray(fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,9}$/));
  const slice = fc.constantFrom('', '3', '-3:', '::-1', '2:9:2');
  fc.assert(
    fc.property(ids, fc.boolean(), fc.nat(), slice, (all, shuffle, seed, spec) => {
      const before = [...all];
      const selected = selectInstances(all, { shuffle, seed, slice: spec });
      expect(all).toEqual(before);
      expect(new Set(selected).size).toBe(selected.length);
      expect(selected.every((id) => all.includes(id))).toBe(true);
      if (spec === '') expect(sortedIds(selected)).toEqual(sortedIds(all));
    }),
  );
});

test('ids are sorted by code points, not as a locale or UTF-16 has them', () => {
  const sorted = ['B-1', 'B-10', 'B-2', 'B_', 'a', 'a.b', 'aB', 'a_b', '\uffff', '\u{10000}'];
  expect(sortedIds([...sorted].reverse())).toEqual(sorted);
});

describeWithData('of the 500 of Verified', 'swebench/verified.jsonl.gz', () => {
  // Of mini-swe-agent's filter_instances under Python 3.11.
  test.each<[InstanceSelection, string[]]>([
    [{ shuffle: true, slice: '0:3' }, ['django__django-14672', 'sphinx-doc__sphinx-10449', 'django__django-11299']],
    [{ shuffle: true, filter: 'sympy', slice: '-2:' }, ['sympy__sympy-16766', 'sympy__sympy-24443']],
    [
      { filter: '(pallets|seaborn|mwaskom)' },
      ['mwaskom__seaborn-3069', 'mwaskom__seaborn-3187', 'pallets__flask-5014'],
    ],
  ])('%j selects what Python selects', async (selection, expected) => {
    const ids = await datasetIds(sharedData('swebench/verified.jsonl.gz'));
    expect(selectInstances(ids, selection)).toEqual(expected);
  });
});
