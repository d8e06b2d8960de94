import type { ServiceDefinition } from '@assay/service-kit';
import { AppModule } from './app.module';
import { configSchema, type ExecutorConfig } from './config';
import { strategyOf } from './strategy';

/** Runs trials, one sandbox each. */
export const executor: ServiceDefinition<ExecutorConfig> = {
  name: 'executor',
  config: configSchema,
  module: (config, kit) => AppModule.of(config, kit),
  strategy: strategyOf,
};
