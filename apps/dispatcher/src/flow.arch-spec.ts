import { FLOW } from '@assay/contracts';
import { ReleasesController } from './edge/releases.controller';
import { PredictionsController } from './predictions/predictions.controller';
import { RunsController } from './runs/runs.controller';

type Controller = typeof RunsController | typeof ReleasesController | typeof PredictionsController;

/** `POST /v1/runs` for every writing route of the controller. */
function writingRoutes(controller: Controller): string[] {
  const base = Reflect.getMetadata('path', controller) as string;
  const prototype = controller.prototype as object;
  return Object.getOwnPropertyNames(prototype).flatMap((name) => {
    const method = Object.getOwnPropertyDescriptor(prototype, name)?.value as unknown;
    if (typeof method !== 'function') return [];
    // Nest's RequestMethod.POST is 1.
    if (Reflect.getMetadata('method', method) !== 1) return [];
    const path = Reflect.getMetadata('path', method) as string;
    return [`http:POST /${base}${path === '/' ? '' : `/${path}`}`];
  });
}

test('the dispatcher takes exactly the requests that the flow table gives it', () => {
  const planned = FLOW.filter(({ app }) => app === 'dispatcher').flatMap(({ consumes }) => consumes);
  const routes = [RunsController, ReleasesController, PredictionsController].flatMap(writingRoutes);
  expect(routes.sort()).toEqual([...planned].sort());
});
