import { bootService } from '@assay/service-kit';
import { AppModule } from './app.module';
import { configSchema } from './config';
import { strategyOf } from './strategy';

void bootService({
  name: 'publisher',
  config: configSchema,
  module: (config, kit) => AppModule.of(config, kit),
  strategy: strategyOf,
});
