import { commonConfig, sandboxConfig, oneArtifactStore } from '@assay/service-kit';
import { z } from 'zod';

/** Settings of the grader. */
export const configSchema = oneArtifactStore(
  z.object({
    ...commonConfig('grader'),
    ...sandboxConfig('grader'),
  }),
);
export type GraderConfig = z.infer<typeof configSchema>;
