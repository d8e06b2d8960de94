import { FLOW } from '@assay/contracts';
import { subscriptionsOf } from '@assay/messaging';
import { GradeHandler } from './grade/grade.handler';

test('the grader takes exactly the messages that the flow table gives it', () => {
  const planned = FLOW.filter(({ app }) => app === 'grader').flatMap(({ consumes }) => consumes);
  expect(subscriptionsOf([GradeHandler])).toEqual([...new Set(planned)].sort());
});
