import { commonConfig, envInt, envList, envPath, envText, envUrl, secretFile } from '@assay/service-kit';
import { z } from 'zod';

/** Settings of the executor. */
export const configSchema = z.object({
  ...commonConfig('executor'),
  ASSAY_SLOTS: envInt(1, { min: 1, max: 64 }).describe('Trials at the same time'),
  ASSAY_SANDBOXES: envList(['docker', 'process'], ['docker']).describe('Kinds of sandboxes that this executor offers'),
  ASSAY_WORK_DIR: envPath().describe('Folder for sandboxes and unpacked tasks; nothing in it outlives a trial'),
  ASSAY_BASE_IMAGE: envText()
    .optional()
    .describe('BASE_IMAGE of the builds of tasks; absent: what the Dockerfile says'),
  ASSAY_REAP_SECONDS: envInt(60, { min: 1, max: 3600 }).describe(
    'Seconds between two looks for sandboxes that nobody holds',
  ),
  OPENAI_BASE_URL: envUrl().optional().describe('OpenAI-compatible endpoint of the model, e.g. https://host/v1'),
  OPENAI_API_KEY_FILE: secretFile().optional().describe('File with the key of the model; no other process has it'),
});
export type ExecutorConfig = z.infer<typeof configSchema>;
