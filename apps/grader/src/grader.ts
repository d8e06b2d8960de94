import type { ServiceDefinition } from '@assay/service-kit';
import { AppModule } from './app.module';
import { configSchema, type GraderConfig } from './config';
import { strategyOf } from './strategy';

/** Judges the patches of trials in fresh sandboxes. */
export const grader: ServiceDefinition<GraderConfig> = {
  name: 'grader',
  config: configSchema,
  module: (config, kit) => AppModule.of(config, kit),
  strategy: strategyOf,
};
