import { FLOW } from '@assay/contracts';
import { subscriptionsOf } from '@assay/messaging';
import { NotificationsController } from './notifications/notifications.controller';
import { ResultsConsumer } from './results/results.consumer';
import { RunsConsumer } from './runs/runs.consumer';
import { WorkController } from './work/work.controller';

test('the coordinator takes exactly the messages that the flow table gives it', () => {
  const planned = FLOW.filter(({ app }) => app === 'coordinator').flatMap(({ consumes }) => consumes);
  expect(subscriptionsOf([WorkController, NotificationsController, ResultsConsumer, RunsConsumer])).toEqual(
    [...new Set(planned)].sort(),
  );
});
