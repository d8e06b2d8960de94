import type { ServiceDefinition } from '@assay/service-kit';
import { AppModule } from './app.module';
import { configSchema, type CoordinatorConfig } from './config';
import { strategyOf } from './strategy';

/** The only scheduler, and the only writer of a run's state after its creation. */
export const coordinator: ServiceDefinition<CoordinatorConfig> = {
  name: 'coordinator',
  config: configSchema,
  module: (config, kit) => AppModule.of(config, kit),
  strategy: strategyOf,
};
