import { envInt, envList, envPath, envText } from './settings';

const WORK = { executor: ['Trials', 'trial'], grader: ['Grades', 'grade'] } as const;

/** The settings of a service that works in sandboxes: a zod shape, beside that of `commonConfig`. */
export function sandboxConfig(app: keyof typeof WORK) {
  const [works, work] = WORK[app];
  return {
    ASSAY_SLOTS: envInt(1, { min: 1, max: 64 }).describe(`${works} at the same time`),
    ASSAY_SANDBOXES: envList(['docker', 'process'], ['docker']).describe(`Kinds of sandboxes that this ${app} offers`),
    ASSAY_WORK_DIR: envPath().describe(`Folder for sandboxes and unpacked tasks; nothing in it outlives a ${work}`),
    ASSAY_BASE_IMAGE: envText()
      .optional()
      .describe('BASE_IMAGE of the builds of tasks; absent: what the Dockerfile says'),
    ASSAY_REAP_SECONDS: envInt(60, { min: 1, max: 3600 }).describe(
      'Seconds between two looks for sandboxes that nobody holds',
    ),
  };
}
