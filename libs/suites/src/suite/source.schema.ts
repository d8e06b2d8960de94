import { z } from 'zod';

/** What suites and instances may be called. */
export const name = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/, 'expected 1 to 100 characters of A-Z a-z 0-9 . _ -');

/** What holds for every file of data that does not lie in the repository. */
const dataFile = {
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/, 'expected 64 lower-case hexadecimal digits')
    .optional()
    .describe('sha256 of the file; another one is refused'),
  obtain: z.string().min(1).optional().describe('how to get the file; told where it is missing'),
};

const HarborSource = z.strictObject({
  kind: z.literal('harbor').describe('Harbor task folders'),
  path: z.string().min(1).describe('the folder that holds the task folders; may begin with `${ASSAY_DATA_DIR}/`'),
  tasks: z
    .array(z.string().min(1))
    .min(1)
    .default(['*'])
    .describe('names of task folders, or patterns with `*` and `?`; each must match something'),
});

/** Which of the rows are instances; see selectInstances. What it leaves out selects nothing away. */
const Select = z.strictObject({
  filter: z.string().min(1).optional().describe('a regular expression (of Python) that ids begin with'),
  shuffle: z
    .boolean()
    .optional()
    .describe("shuffle before the slice, so that it is a sample; the order is that of Python's `random.shuffle`"),
  seed: z.int().nonnegative().optional().describe('of the shuffle; default 42'),
  slice: z.string().min(1).optional().describe("Python's slice of what the filter left: `5`, `10:20`, `::2`; quote it"),
});

const SwebenchSource = z.strictObject({
  kind: z.literal('swebench').describe('rows of SWE-bench (v5 columns)'),
  file: z
    .string()
    .regex(/\.(jsonl|jsonl\.gz|parquet)$/, 'expected a file name that ends in .jsonl, .jsonl.gz or .parquet')
    .describe('the file with the rows: JSON lines, plain or gzip, or Parquet; may begin with `${ASSAY_DATA_DIR}/`'),
  expect: z.int().positive().optional().describe('how many rows the file must hold, no more and no fewer'),
  ...dataFile,
  instances: z.array(name).min(1).optional().describe('only these instances; default: all rows'),
  select: Select.optional(),
  imagePrefix: z
    .string()
    .regex(/\/$/, 'expected a prefix that ends in /')
    .optional()
    .describe("put before each row's own image name, e.g. the mirror `registry.example/`"),
  imageTemplate: z
    .string()
    .min(1)
    .optional()
    .describe(
      "an image name instead of each row's own; `{instance}` stands for the whole id in lower case, `{name}` for what follows its `__`",
    ),
  imageArch: z
    .enum(['x86_64', 'arm64'])
    .optional()
    .describe('architecture in the official name of rows that name no image; default `x86_64`'),
  imageNamespace: z
    .string()
    .min(1)
    .nullable()
    .optional()
    .describe('namespace in the official name of rows that name no image; default `swebench`; null: images built here'),
  digests: z
    .string()
    .min(1)
    .optional()
    .describe(
      'a file (YAML or JSON) of instance ids and the `sha256:…` digests of their images; every instance needs one',
    ),
});

const TerminalBenchSource = z.strictObject({
  kind: z.literal('terminal-bench').describe('an archive of Terminal-Bench tasks, which are Harbor task folders'),
  file: z
    .string()
    .regex(/\.(tar\.gz|tgz)$/, 'expected a file name that ends in .tar.gz or .tgz')
    .describe(
      'the archive; a task is the folder of each `tasks/<x>/…/instruction.md` outside of `tasks/packages`; may begin with `${ASSAY_DATA_DIR}/`',
    ),
  expect: z.int().positive().optional().describe('how many tasks the archive must hold, no more and no fewer'),
  ...dataFile,
});

/** Where the instances of a suite come from. */
export const SourceSchema = z.discriminatedUnion('kind', [HarborSource, SwebenchSource, TerminalBenchSource]);
