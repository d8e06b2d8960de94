import { commonConfig, sandboxConfig, envInt, envPath, envUrl, oneArtifactStore } from '@assay/service-kit';
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
export const configSchema = oneArtifactStore(
  z.object({
    ...commonConfig('executor'),
    ...sandboxConfig('executor'),
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
    ASSAY_IMAGES_AHEAD: envInt(2, { max: 20 }).describe(
      'Images of the trials that come next which are pulled or built before a trial asks for them, in the background, one at a time on the Docker engine; 0: none',
    ),
    ASSAY_LAYERS_DIR: envPath()
      .optional()
      .describe(
        "Folder with the agents' packages. Absent: `layers` in ASSAY_HOST_DIR where that is set, else the user's cache",
      ),
  }),
);
export type ExecutorConfig = z.infer<typeof configSchema>;
