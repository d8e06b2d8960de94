import { type ArtifactPlace, namesBucket, readS3Location, type S3Location } from '@assay/artifacts';
import type { z } from 'zod';
import { setting } from './setting';
import { envBool, envPath, envText, envUrl, secretFile } from './settings';

type Place = { readonly kind: 'folder'; readonly dir: string } | { readonly kind: 's3'; readonly location: S3Location };

const PLACE = 'a folder, or s3://bucket, or s3://bucket/prefix';
const folder = envPath();

function readPlace(text: string): Place | undefined {
  if (namesBucket(text)) {
    const location = readS3Location(text);
    return location === undefined ? undefined : { kind: 's3', location };
  }
  // Any other scheme is a mistake, never a folder of that name.
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return undefined;
  const dir = folder.safeParse(text).data;
  return dir === undefined ? undefined : { kind: 'folder', dir };
}

/** The settings that name the artifact store: a zod shape, part of `commonConfig`. `oneArtifactStore` holds their rules. */
export function artifactConfig() {
  return {
    ASSAY_ARTIFACTS: setting(PLACE, readPlace)
      .optional()
      .describe(
        'The artifact store, the same for all services; required unless ASSAY_ARTIFACTS_DIR is set. docs/artifacts.md',
      ),
    ASSAY_ARTIFACTS_DIR: envPath()
      .optional()
      .describe('Folder of the artifact store: the earlier name of ASSAY_ARTIFACTS, for a folder only'),
    ASSAY_S3_ENDPOINT: envUrl()
      .optional()
      .describe("With a store in S3: the service's URL. Absent: AWS's own of the region"),
    ASSAY_S3_REGION: envText('us-east-1').describe('With a store in S3: its region'),
    ASSAY_S3_PATH_STYLE: envBool()
      .optional()
      .describe(
        'With a store in S3: whether the bucket stands in the path instead of the host name. Absent: true with ASSAY_S3_ENDPOINT, false without',
      ),
    ASSAY_S3_ACCESS_KEY_ID_FILE: secretFile()
      .optional()
      .describe(
        'With a store in S3: file with the id of the access key. Absent: what the AWS SDK finds by itself (profile, role of the machine, …)',
      ),
    ASSAY_S3_SECRET_ACCESS_KEY_FILE: secretFile()
      .optional()
      .describe('With a store in S3: file with the secret access key; goes with ASSAY_S3_ACCESS_KEY_ID_FILE'),
  };
}

/** What `artifactConfig` yields. */
export interface ArtifactSettings {
  readonly ASSAY_ARTIFACTS?: Place | undefined;
  readonly ASSAY_ARTIFACTS_DIR?: string | undefined;
  readonly ASSAY_S3_ENDPOINT?: string | undefined;
  readonly ASSAY_S3_REGION: string;
  readonly ASSAY_S3_PATH_STYLE?: boolean | undefined;
  readonly ASSAY_S3_ACCESS_KEY_ID_FILE?: string | undefined;
  readonly ASSAY_S3_SECRET_ACCESS_KEY_FILE?: string | undefined;
}

type Field = keyof ArtifactSettings;

const PLACES: readonly Field[] = ['ASSAY_ARTIFACTS', 'ASSAY_ARTIFACTS_DIR'];
const KEYS: readonly Field[] = ['ASSAY_S3_ACCESS_KEY_ID_FILE', 'ASSAY_S3_SECRET_ACCESS_KEY_FILE'];

/** Adds to a service's schema what must hold between its artifact settings: one place, and both halves of a key or none. */
export function oneArtifactStore<T extends z.ZodType<ArtifactSettings>>(schema: T): T {
  return schema
    .refine((value) => count(value, PLACES) > 0, {
      ...about('ASSAY_ARTIFACTS', PLACES),
      error: `expected ${PLACE} (or ASSAY_ARTIFACTS_DIR, a folder)`,
    })
    .refine((value) => count(value, PLACES) < 2, {
      ...about('ASSAY_ARTIFACTS_DIR', PLACES),
      error: 'expected nothing beside ASSAY_ARTIFACTS',
    })
    .refine((value) => count(value, KEYS) !== 1 || value.ASSAY_S3_ACCESS_KEY_ID_FILE !== undefined, {
      ...about('ASSAY_S3_ACCESS_KEY_ID_FILE', KEYS),
      error: 'expected a file too, as ASSAY_S3_SECRET_ACCESS_KEY_FILE names one',
    })
    .refine((value) => count(value, KEYS) !== 1 || value.ASSAY_S3_SECRET_ACCESS_KEY_FILE !== undefined, {
      ...about('ASSAY_S3_SECRET_ACCESS_KEY_FILE', KEYS),
      error: 'expected a file too, as ASSAY_S3_ACCESS_KEY_ID_FILE names one',
    });
}

/** The rule is told of `field`, also beside mistakes of other settings, but not where one of `fields` is wrong itself. */
function about(field: Field, fields: readonly Field[]) {
  return {
    path: [field],
    when: ({ issues }: z.core.ParsePayload) => !issues.some(({ path }) => fields.includes(path?.[0] as Field)),
  };
}

function count(settings: ArtifactSettings, fields: readonly Field[]): number {
  return fields.filter((field) => settings[field] !== undefined).length;
}

/** Where the settings say that artifacts lie. */
export function artifactPlace(settings: ArtifactSettings): ArtifactPlace {
  const { ASSAY_ARTIFACTS: given, ASSAY_ARTIFACTS_DIR: dir } = settings;
  const place = given ?? (dir === undefined ? undefined : ({ kind: 'folder', dir } as const));
  if (place === undefined) throw new Error('a schema without oneArtifactStore let a service start without a store');
  if (place.kind === 'folder') return place;
  const { ASSAY_S3_ENDPOINT: endpoint = null, ASSAY_S3_REGION: region } = settings;
  const pathStyle = settings.ASSAY_S3_PATH_STYLE ?? endpoint !== null;
  return { ...place, access: { endpoint, region, pathStyle, credentials: credentialsOf(settings) } };
}

function credentialsOf(settings: ArtifactSettings): { accessKeyId: string; secretAccessKey: string } | null {
  const { ASSAY_S3_ACCESS_KEY_ID_FILE: accessKeyId, ASSAY_S3_SECRET_ACCESS_KEY_FILE: secretAccessKey } = settings;
  return accessKeyId === undefined || secretAccessKey === undefined ? null : { accessKeyId, secretAccessKey };
}
