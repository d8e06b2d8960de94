import { FLOW } from '@assay/contracts';
import { subscriptionsOf } from '@assay/messaging';
import { TrialHandler } from './trial/trial.handler';

test('the executor takes exactly the messages that the flow table gives it', () => {
  const planned = FLOW.filter(({ app }) => app === 'executor').flatMap(({ consumes }) => consumes);
  expect(subscriptionsOf([TrialHandler])).toEqual([...new Set(planned)].sort());
});
