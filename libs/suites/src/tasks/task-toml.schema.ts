import { z } from 'zod';

const seconds = z.number().positive();
const texts = z.array(z.string());
const variables = z.record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'expected a variable name'), z.string());
const networkMode = z.enum(['public', 'no-network', 'allowlist']);
const user = z.union([z.string().min(1), z.int().nonnegative()], { error: 'expected a user name or number' });
const size = z.string().regex(/^\d+(\.\d+)?\s*[KMGT]i?B?$/i, 'expected a size such as 512M or 4G');
const table = z.record(z.string(), z.unknown());

const Healthcheck = z.strictObject({
  command: z.string(),
  interval_sec: seconds.optional(),
  timeout_sec: seconds.optional(),
  start_period_sec: z.number().nonnegative().optional(),
  start_interval_sec: seconds.optional(),
  retries: z.int().nonnegative().optional(),
});

const Environment = z.strictObject({
  build_timeout_sec: seconds.default(600),
  docker_image: z.string().min(1).optional(),
  os: z.enum(['linux', 'windows']).optional(),
  cpus: z.number().positive().optional(),
  memory_mb: z.int().positive().optional(),
  memory: size.optional(),
  storage_mb: z.int().positive().optional(),
  storage: size.optional(),
  gpus: z.int().nonnegative().optional(),
  gpu_types: texts.nullish(),
  tpu: table.optional(),
  allow_internet: z.boolean().optional(),
  network_mode: networkMode.optional(),
  allowed_hosts: texts.optional(),
  env: variables.default({}),
  mcp_servers: z.array(table).optional(),
  skills_dir: z.string().optional(),
  workdir: z.string().optional(),
  healthcheck: Healthcheck.optional(),
});

const OrgName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]*\/[A-Za-z0-9][A-Za-z0-9._-]*$/, 'expected org/name')
  .refine((name) => !name.includes('..'), 'expected org/name without ".."');

/** The versions of the format that are read; they differ in keys, all of which are known here. */
export const TASK_SCHEMA_VERSIONS = ['1.0', '1.1', '1.2', '1.3', '1.4'] as const;

/**
 * task.toml: the union of Harbor's schemas 1.0 to 1.4. Every key that Harbor knows stands here with its type; what
 * becomes of each is told in key-rules.ts.
 */
export const TaskToml = z.strictObject({
  schema_version: z.enum(TASK_SCHEMA_VERSIONS).optional(),
  version: z.enum(TASK_SCHEMA_VERSIONS).optional(),
  source: z.string().optional(),
  task: z
    .strictObject({
      name: OrgName,
      description: z.string().default(''),
      keywords: texts.default([]),
      authors: z.array(z.strictObject({ name: z.string(), email: z.string().optional() })).default([]),
    })
    .optional(),
  metadata: table.default({}),
  agent: z
    .strictObject({
      timeout_sec: seconds.optional(),
      user: user.optional(),
      network_mode: networkMode.optional(),
      allowed_hosts: texts.optional(),
    })
    .prefault({}),
  verifier: z
    .strictObject({
      timeout_sec: seconds.default(600),
      env: variables.default({}),
      user: user.optional(),
      network_mode: networkMode.optional(),
      allowed_hosts: texts.optional(),
      environment_mode: z.enum(['shared', 'separate']).optional(),
      environment: table.optional(),
      collect: z.array(table).optional(),
    })
    .prefault({}),
  environment: Environment.prefault({}),
  solution: z.strictObject({ env: variables.default({}) }).prefault({}),
  artifacts: z.array(z.union([z.string(), table])).optional(),
  steps: z.array(table).optional(),
  multi_step_reward_strategy: z.enum(['mean', 'final']).optional(),
});
export type TaskToml = z.infer<typeof TaskToml>;
