import type { ServiceDefinition } from '@assay/service-kit';
import { AppModule } from './app.module';
import { prepareEdge, serving } from './auth/http/edge';
import { configSchema, type Config } from './config';
import { serveApiDocument } from './docs/api-document';

/** The service that takes submissions over HTTP, freezes what they ask for, and shows runs. */
export const dispatcher: ServiceDefinition<Config> = {
  name: 'dispatcher',
  config: configSchema,
  module: (config) => AppModule.of(config),
  serving,
  edge: prepareEdge,
  http: serveApiDocument,
};
