import { FLOW } from '@assay/contracts';
import { RunsController } from './runs/runs.controller';

/** `POST /v1/runs` for every writing route of the controller. */
function writingRoutes(): string[] {
  const base = Reflect.getMetadata('path', RunsController) as string;
  const prototype = RunsController.prototype as object;
  return Object.getOwnPropertyNames(prototype)
    .flatMap((name) => {
      const method = Object.getOwnPropertyDescriptor(prototype, name)?.value as unknown;
      if (typeof method !== 'function') return [];
      // Nest's RequestMethod.POST is 1.
      if (Reflect.getMetadata('method', method) !== 1) return [];
      const path = Reflect.getMetadata('path', method) as string;
      return [`http:POST /${base}${path === '/' ? '' : `/${path}`}`];
    })
    .sort();
}

test('the dispatcher takes exactly the requests that the flow table gives it', () => {
  const planned = FLOW.filter(({ app }) => app === 'dispatcher').flatMap(({ consumes }) => consumes);
  expect(writingRoutes()).toEqual([...planned].sort());
});
