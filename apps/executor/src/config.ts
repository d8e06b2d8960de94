import { commonConfig, envInt, envList, envPath, envText, envUrl } from '@assay/service-kit';
import { readKeyFile } from '@assay/model-gateway';
import { z } from 'zod';

/** A path whose file the model gateway takes for a key; its own complaint names the path and never the content. */
function keyFile() {
  return envPath().superRefine((path, context) => {
    try {
      readKeyFile(path);
    } catch (error) {
      context.addIssue({ code: 'custom', message: error instanceof Error ? error.message : String(error) });
    }
  });
}

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
  OPENAI_API_KEY_FILE: keyFile().optional().describe('File with the key of the model; no other process has it'),
  ASSAY_MODEL_PRICES_FILE: envPath()
    .optional()
    .describe('File with the prices of models; absent: what a trial costs is not known'),
  ASSAY_HOST_DIR: envPath()
    .optional()
    .describe(
      "Folder that the Docker engine's host has under the same path: the gateway's socket and the agents' packages lie in it. Absent: ASSAY_WORK_DIR",
    ),
  ASSAY_LAYERS_DIR: envPath()
    .optional()
    .describe(
      "Folder with the agents' packages. Absent: `layers` in ASSAY_HOST_DIR where that is set, else the user's cache",
    ),
});
export type ExecutorConfig = z.infer<typeof configSchema>;
