import { commonConfig, envInt, envList, envPath, envText } from '@assay/service-kit';
import { z } from 'zod';

/** Settings of the grader. */
export const configSchema = z.object({
  ...commonConfig('grader'),
  ASSAY_SLOTS: envInt(1, { min: 1, max: 64 }).describe('Grades at the same time'),
  ASSAY_SANDBOXES: envList(['docker', 'process'], ['docker']).describe('Kinds of sandboxes that this grader offers'),
  ASSAY_WORK_DIR: envPath().describe('Folder for sandboxes and unpacked tasks; nothing in it outlives a grade'),
  ASSAY_BASE_IMAGE: envText()
    .optional()
    .describe('BASE_IMAGE of the builds of tasks; absent: what the Dockerfile says'),
  ASSAY_REAP_SECONDS: envInt(60, { min: 1, max: 3600 }).describe(
    'Seconds between two looks for sandboxes that nobody holds',
  ),
});
export type GraderConfig = z.infer<typeof configSchema>;
