import { commonConfig, envUrl, oneArtifactStore } from '@assay/service-kit';
import { z } from 'zod';

/** Settings of the coordinator. */
export const configSchema = oneArtifactStore(
  z.object({
    ...commonConfig('coordinator'),
    DATABASE_URL: envUrl(['postgres', 'postgresql']).describe('The database: the truth of every run'),
  }),
);
export type CoordinatorConfig = z.infer<typeof configSchema>;
