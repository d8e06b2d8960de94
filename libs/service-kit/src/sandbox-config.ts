import { envInt, envList, envPath, envText } from './settings';
import { registryLoginsFile, type RegistryLogins } from './registry-logins';
import { setting, type Setting } from './setting';

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
    ASSAY_REGISTRY_MIRROR: envRegistryPrefix()
      .optional()
      .describe('Mirror of Docker Hub that is asked first for images; what it does not have comes from the Hub'),
    ASSAY_REGISTRY_LOGINS_FILE: registryLoginsFile()
      .optional()
      .describe(
        "File like Docker's config.json with users and passwords of registries (`auths`), for images that not everybody may pull. Absent: none",
      ),
    ASSAY_IMAGE_BUDGET_MB: envInt(undefined, { min: 1 })
      .optional()
      .describe(
        'Megabytes that images may take which this namespace built or pulled on the Docker engine; beyond it go those that no open run needs. Absent: no bound',
      ),
    ASSAY_CORES: envCores('off').describe(
      `Cores that ${work}s are pinned to, each to some of its own: \`auto\`, all of the engine; a list; \`off\`. Where there are not enough for every slot nothing is pinned. Workers that share an engine need a list each`,
    ),
    ASSAY_REAP_SECONDS: envInt(20, { min: 1, max: 3600 }).describe(
      'Seconds between two looks for sandboxes that nobody holds',
    ),
  };
}

/** Where a mirror of a registry has its images: a host, then perhaps a path. */
export function envRegistryPrefix() {
  return setting('a registry, then perhaps a path, as in mirror.example:5000/hub', readPrefix);
}

/** Values of the settings that make a worker's sandboxes. */
export interface SandboxSettings {
  readonly ASSAY_SLOTS: number;
  readonly ASSAY_BASE_IMAGE?: string | undefined;
  readonly ASSAY_REGISTRY_MIRROR?: string | undefined;
  readonly ASSAY_REGISTRY_LOGINS_FILE?: RegistryLogins | undefined;
  readonly ASSAY_IMAGE_BUDGET_MB?: number | undefined;
  readonly ASSAY_CORES: 'off' | 'auto' | number[];
}

/** The same, as the docker sandbox takes them. */
export function dockerOptions(settings: SandboxSettings) {
  const { ASSAY_BASE_IMAGE: baseImage = null, ASSAY_CORES: cores, ASSAY_SLOTS: slots } = settings;
  const { ASSAY_REGISTRY_MIRROR: registryMirror, ASSAY_IMAGE_BUDGET_MB: imageBudgetMb } = settings;
  const { ASSAY_REGISTRY_LOGINS_FILE: registryLogins } = settings;
  return {
    baseImage,
    ...(registryMirror === undefined ? {} : { registryMirror }),
    ...(registryLogins === undefined ? {} : { registryLogins }),
    ...(imageBudgetMb === undefined ? {} : { imageBudgetMb }),
    ...(cores === 'off' ? {} : { pinning: { cores, slots } }),
  };
}

/** `off`, `auto`, or cores as the kernel lists them: `0-3,8`. */
function envCores(fallback: 'off'): Setting<'off' | 'auto' | number[]> {
  return setting('off, auto, or a list of cores such as 0-3,8', readCores, fallback);
}

function readCores(text: string): 'off' | 'auto' | number[] | undefined {
  if (text === 'off' || text === 'auto') return text;
  const cores = text.split(',').flatMap((part) => rangeOf(part.trim()) ?? [-1]);
  return cores.includes(-1) || new Set(cores).size !== cores.length ? undefined : cores;
}

function rangeOf(part: string): number[] | undefined {
  const [, from, to = from] = /^(\d{1,4})(?:-(\d{1,4}))?$/.exec(part) ?? [];
  const [first, last] = [Number(from), Number(to)];
  return first <= last ? Array.from({ length: last - first + 1 }, (_, index) => first + index) : undefined;
}

/** No scheme, no tag: what an image's name is put behind. */
function readPrefix(text: string): string | undefined {
  return /^[a-z0-9.-]+(:\d{1,5})?(\/[a-z0-9][a-z0-9._-]*)*\/?$/.test(text) ? text : undefined;
}
