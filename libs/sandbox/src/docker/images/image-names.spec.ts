import { isOthersToo, namesOf } from './image-names';

const digest = (repo: string): string => `${repo}@sha256:0`;

test.each([
  [[], false],
  [['team/x:1'], false],
  [[digest('team/x')], false],
  [['team/x:1', digest('team/x')], false],
  [['h:5000/x:1', digest('h:5000/x')], false],
  [['team/x:1', 'team/x:2'], true],
  [['mine:1', digest('team/x')], true],
  [[digest('mirror/team/x'), digest('team/x')], true],
])('the names %j are those of somebody else too: %s', (names, expected) => {
  expect(isOthersToo(names)).toBe(expected);
});

test('an image without names has none', () => {
  expect(namesOf({ RepoTags: null })).toEqual([]);
  expect(namesOf({ RepoTags: ['a:1'], RepoDigests: ['a@sha256:0'] })).toEqual(['a:1', 'a@sha256:0']);
});
