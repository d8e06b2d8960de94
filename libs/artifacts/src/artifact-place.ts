/** Where artifacts lie: a folder that all services see, or a bucket of S3 or of a service that speaks like it. */
export type ArtifactPlace =
  | { readonly kind: 'folder'; readonly dir: string }
  | { readonly kind: 's3'; readonly location: S3Location; readonly access: S3Access };

export interface S3Location {
  readonly bucket: string;
  /** Put before every key, without slashes at its ends; empty: none. */
  readonly prefix: string;
}

/** How the service is reached. */
export interface S3Access {
  /** Null: AWS's own endpoint of the region. */
  readonly endpoint: string | null;
  readonly region: string;
  /** `http://host/bucket/key` instead of `http://bucket.host/key`. */
  readonly pathStyle: boolean;
  /** Null: whatever the SDK finds by itself (its environment variables, profile, role of the machine). */
  readonly credentials: S3Credentials | null;
}

export interface S3Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

const SCHEME = 's3://';
/** The rules of AWS for names of general purpose buckets, which other services follow or narrow. */
const BUCKET = /^(?!\d+\.\d+\.\d+\.\d+$)[a-z0-9](?:[a-z0-9-]|\.(?!\.))*[a-z0-9]$/;
/** The characters that AWS calls safe in keys, in segments that are not `.` or `..`. */
const PREFIX = /^(?:(?!\.{1,2}(?:\/|$))[A-Za-z0-9!_.*'()-]+(?:\/(?!$)|$))*$/;
/** 1024 bytes of a key less namespace and digest. */
const LONGEST_PREFIX = 900;

/** True for a text that means a bucket, well-formed or not. */
export function namesBucket(text: string): boolean {
  return text.toLowerCase().startsWith(SCHEME);
}

/** Reads `s3://bucket` or `s3://bucket/some/prefix`; undefined when it is neither. */
export function readS3Location(text: string): S3Location | undefined {
  if (!text.startsWith(SCHEME)) return undefined;
  const [bucket = '', ...rest] = text.slice(SCHEME.length).split('/');
  const prefix = rest.join('/').replace(/\/$/, '');
  const known = BUCKET.test(bucket) && bucket.length >= 3 && bucket.length <= 63;
  return known && PREFIX.test(prefix) && prefix.length <= LONGEST_PREFIX ? { bucket, prefix } : undefined;
}
