import { z } from 'zod';

/** A run's name: 1 to 128 characters, first a letter or digit, then also dot, underscore and hyphen. */
export const RUN_ID_PATTERN = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

/** An instance's name inside its dataset, e.g. `sympy__sympy-20590`. Same alphabet and length as a run id. */
export const INSTANCE_ID_PATTERN = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

/** Lower-case hexadecimal sha256 of a blob. */
export const SHA256_PATTERN = /^[0-9a-f]{64}$/;

export const RunId = z
  .string()
  .regex(RUN_ID_PATTERN, 'expected 1 to 128 characters of A-Z a-z 0-9 . _ -, the first a letter or digit')
  .brand<'RunId'>();
export type RunId = z.infer<typeof RunId>;

export const InstanceId = z
  .string()
  .regex(INSTANCE_ID_PATTERN, 'expected 1 to 128 characters of A-Z a-z 0-9 . _ -, the first a letter or digit')
  .brand<'InstanceId'>();
export type InstanceId = z.infer<typeof InstanceId>;

/** Names one worker process (host, process id and a random part): unique among all that ever ran. */
export const WorkerId = z.string().min(1).max(200).brand<'WorkerId'>();
export type WorkerId = z.infer<typeof WorkerId>;

/** Drawn by the worker for one claim; together with the epoch it is the fence. */
export const ClaimId = z.uuid().brand<'ClaimId'>();
export type ClaimId = z.infer<typeof ClaimId>;

/** Row id of an attempt or a grade try. */
export const AttemptId = z.uuid().brand<'AttemptId'>();
export type AttemptId = z.infer<typeof AttemptId>;

/** sha256 of `dist` and the lock file of a worker: what code it runs. */
export const BuildDigest = z.string().regex(SHA256_PATTERN, 'expected 64 hexadecimal digits').brand<'BuildDigest'>();
export type BuildDigest = z.infer<typeof BuildDigest>;

/** sha256 of an artifact's bytes, which is also its name in the store. */
export const Digest = z.string().regex(SHA256_PATTERN, 'expected 64 hexadecimal digits').brand<'Digest'>();
export type Digest = z.infer<typeof Digest>;

/**
 * Prefixes everything a deployment owns on shared servers: database schema, streams, subjects, container labels,
 * artifact keys and release markers. Lower-case so that it is legal in all of them.
 */
export const Namespace = z
  .string()
  .regex(/^[a-z][a-z0-9_]{0,30}$/, 'expected a lower-case letter, then up to 30 of a-z 0-9 _')
  .brand<'Namespace'>();
export type Namespace = z.infer<typeof Namespace>;
