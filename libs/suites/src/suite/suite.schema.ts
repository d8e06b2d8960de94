import { ChainedSuite, PublishMode, RetryPolicy, SuiteKind } from '@assay/contracts';
import { z } from 'zod';
import { name, SourceSchema } from './source.schema';

/** Docker's own least number of CPUs, and the kernel's most (NR_CPUS). */
const cpus = z.number().min(0.01).max(8_192);

/** Docker's own least memory, in which a sandbox still runs a shell (measured), and 64 TiB. MiB. */
const memoryMb = z.int().min(6).max(67_108_864);

/**
 * Below this a sandbox starts no pipe: its init, what waits for the deadline, a shell, and what starts it and the pipe's ends
 * (measured). The kernel numbers no more processes than the most.
 */
const pids = z.int().min(6).max(4_194_304);

/** The limits of a trial, as a suite states them; what it leaves out has these values. */
const Limits = z.strictObject({
  wallSeconds: z.number().positive().default(7200).describe('wall clock of the agent'),
  turns: z.int().positive().nullable().default(200).describe('turns of the agent; null: no bound'),
  costUsd: z.number().positive().nullable().default(null).describe('cost by the price table; null: no bound'),
  calls: z.int().positive().nullable().default(null).describe('model calls; null: no bound'),
  tokens: z.int().positive().nullable().default(null).describe('prompt and completion tokens; null: no bound'),
  cpus: cpus.default(2).describe('CPUs of the sandbox'),
  memoryMb: memoryMb.default(4096).describe('memory of the sandbox, MiB'),
  diskMb: z.int().positive().default(10_240).describe('disk of the sandbox, MiB'),
  pids: pids.default(512).describe('processes in the sandbox'),
});

/** The budgets of a whole run, over all trials and their tries, as a suite states them. */
const RunBudgets = z.strictObject({
  calls: z.int().positive().nullable().default(null).describe('model calls of the whole run; null: no bound'),
  tokens: z
    .int()
    .positive()
    .nullable()
    .default(null)
    .describe('prompt and completion tokens of the whole run; null: no bound'),
  costUsd: z
    .number()
    .positive()
    .nullable()
    .default(null)
    .describe('cost of the whole run by the price table; null: no bound'),
  wallSeconds: z
    .number()
    .positive()
    .nullable()
    .default(null)
    .describe('wall clock of the whole run, from its first trial on; null: no bound'),
});

const Grader = z.strictObject({
  network: z
    .enum(['none', 'outside'])
    .default('none')
    .describe('`outside` as the official harness has it; `none` is labelled sealed'),
  user: z.string().min(1).nullable().default(null).describe("user of the tests; null: the image's own"),
  timeoutSeconds: z.number().positive().default(1800).describe('wall clock of the tests'),
  cpus: cpus.default(2).describe("CPUs of the tests' sandbox"),
  memoryMb: memoryMb.default(4096).describe("memory of the tests' sandbox, MiB"),
});

const Retry = z.strictObject({
  maxAttempts: RetryPolicy.shape.maxAttempts.describe('trials of an instance in all; a submission may say otherwise'),
  backoffSeconds: RetryPolicy.shape.backoffSeconds.describe('wait after the first try; doubles with each further one'),
});

const Chained = ChainedSuite.extend({ suite: name.describe('the suite that follows') }).refine(
  ({ limit, instanceId }) => instanceId === undefined || limit === undefined || limit === 1,
  { path: ['instanceId'], error: 'expected none with a limit other than 1' },
);

/** A score-publishing suite of n instances may lose fewer than this many: 10 of 500, 2 of 89. */
export function maxErrorThreshold(benchmarkSize: number): number {
  return Math.max(1, Math.ceil(benchmarkSize / 50));
}

/** A suite file: what is measured, and how. docs/suites.md holds its fields, and a test compares them. */
export const SuiteFile = z
  .strictObject({
    schema: z.literal('assay.suite/1').describe('the format of the file'),
    name: name.describe('how the suite is asked for; the file is called `<name>.yaml`'),
    title: z.string().min(1).max(200).describe('how people read it'),
    dataset: z.strictObject({
      name: z.string().min(1).describe('the data set'),
      revision: z.string().min(1).describe('its revision; quote it if it is a number'),
      title: z
        .string()
        .min(1)
        .max(200)
        .optional()
        .describe('how errors call the data set; default: the `title` of the suite'),
    }),
    source: SourceSchema,
    kind: SuiteKind.default('benchmark').describe(
      'what the suite is for: it measures an agent, checks the pipeline without one, or starts sandboxes only; the last two never publish a score',
    ),
    publish: PublishMode.describe('what a release may show: nothing, counts ("not a benchmark score"), or a score'),
    publishTrajectories: z
      .boolean()
      .default(false)
      .describe('the redacted trajectories become an asset of the release'),
    publishPatches: z.boolean().default(false).describe('the patches become an asset of the release'),
    chain: z
      .array(Chained)
      .default([])
      .describe(
        'suites that are run for the same release once this one is published, each with an optional `limit` or `instanceId`',
      ),
    benchmarkSize: z
      .int()
      .positive()
      .nullable()
      .default(null)
      .describe('instances of the whole benchmark; null: not a benchmark'),
    defaultLimit: z
      .int()
      .positive()
      .nullable()
      .default(null)
      .describe('how many instances are run, the first k, where a submission says nothing; null: all'),
    maxLimit: z
      .int()
      .positive()
      .nullable()
      .default(null)
      .describe('how many instances a submission may ask for at most; null: all'),
    unpinned: z
      .enum(['refuse', 'allow'])
      .default('refuse')
      .describe(
        'image names without a digest: the registry is asked for it and a run of which one has none is refused, or they run as they are named; a score needs `refuse`',
      ),
    errorThreshold: z
      .int()
      .positive()
      .describe(
        'EXECUTION_ERROR + INFRA_FAILED must stay below this; with `publish: score` at most max(1, ceil(benchmarkSize / 50))',
      ),
    abortAfterInfraFailures: z
      .literal(0, 'expected 0, never stop early: no other value is supported')
      .default(0)
      .describe(
        'after how many INFRA_FAILED a run is given up; 0: never, and nothing else is supported. Not the gate on a score',
      ),
    onLimit: z
      .enum(['grade', 'error'])
      .default('grade')
      .describe('an agent that reached a limit: graded on what it left, or EXECUTION_ERROR'),
    forgedMarker: z
      .enum(['quarantine', 'ignore'])
      .default('quarantine')
      .describe('what a forged exit-code marker on a RESOLVED instance does to the run'),
    history: z
      .enum(['cut', 'kept'])
      .default('cut')
      .describe(
        'git history that HEAD does not reach, in the workspace: removed or left; a score on SWE-bench rows needs `cut`',
      ),
    sandbox: z
      .enum(['docker', 'process', 'any'])
      .default('docker')
      .describe(
        "where trials and tests run; `any`: the deployment's choice; `process` is refused with `publish: score`",
      ),
    agent: z.strictObject({
      name: z
        .string()
        .regex(/^[a-z][a-z0-9-]{0,63}$/, 'expected an agent name')
        .describe('the agent; a submission may name another'),
      version: z
        .string()
        .min(1)
        .optional()
        .describe(
          'the version it must have; `evaluated`: that of the package which the submission evaluates; default: whatever the build has',
        ),
      options: z.record(z.string(), z.unknown()).default({}).describe("the agent's own settings"),
    }),
    limits: Limits.prefault({}),
    runLimits: RunBudgets.prefault({}),
    retry: Retry.prefault({}),
    grader: Grader.prefault({}),
  })
  .superRefine((suite, context) => {
    const refuse = (path: string[], message: string) => {
      context.addIssue({ code: 'custom', path, message });
    };
    if ((suite.kind === 'infrastructure') !== (suite.agent.name === 'probe')) {
      refuse(
        ['agent', 'name'],
        suite.kind === 'infrastructure'
          ? 'expected probe, the only agent of a suite of the kind infrastructure'
          : 'expected an agent that works: probe is for suites of the kind infrastructure',
      );
    }
    if (suite.source.kind === 'swebench' && suite.sandbox === 'process') {
      refuse(['sandbox'], 'expected docker or any: SWE-bench rows need their images');
    }
    const { defaultLimit, maxLimit } = suite;
    if (maxLimit !== null && (defaultLimit === null || defaultLimit > maxLimit)) {
      refuse(['defaultLimit'], `expected 1 to ${maxLimit}, because maxLimit is ${maxLimit}`);
    }
    if (suite.publish !== 'score') return;
    if (maxLimit !== null) refuse(['maxLimit'], 'expected null: a score is that of the whole benchmark');
    if (suite.unpinned === 'allow')
      refuse(['unpinned'], 'expected refuse: a score is measured in images that are known');
    if (suite.kind !== 'benchmark') {
      refuse(['publish'], `expected none or counts: a suite of the kind ${suite.kind} never publishes a score`);
    }
    if (suite.source.kind === 'swebench' && suite.history === 'kept')
      refuse(['history'], 'expected cut: a score is never measured beside the fix');
    if (suite.sandbox === 'process')
      refuse(['sandbox'], 'expected docker or any: a score is never measured in process');
    if (suite.benchmarkSize === null) {
      refuse(['benchmarkSize'], 'expected the size of the benchmark, because the suite publishes a score');
    } else if (suite.errorThreshold > maxErrorThreshold(suite.benchmarkSize)) {
      refuse(
        ['errorThreshold'],
        `expected at most ${maxErrorThreshold(suite.benchmarkSize)} for a score of ${suite.benchmarkSize} instances`,
      );
    }
  });
export type SuiteFile = z.infer<typeof SuiteFile>;
