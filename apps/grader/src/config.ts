import { commonConfig, sandboxConfig } from '@assay/service-kit';
import { z } from 'zod';

/** Settings of the grader. */
export const configSchema = z.object({
  ...commonConfig('grader'),
  ...sandboxConfig('grader'),
});
export type GraderConfig = z.infer<typeof configSchema>;
