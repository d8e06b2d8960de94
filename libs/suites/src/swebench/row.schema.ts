import { InstanceId } from '@assay/contracts';
import { z } from 'zod';
import { IMAGE_EXPECTED, parseImage } from './image-reference';

const text = z.string();
const filled = z.string().min(1);

/** A list of test ids, as a JSON array or as a string that holds one: both are in use. */
const TestIds = z.union([z.array(z.string()), z.string()]).transform((value, context) => {
  if (typeof value !== 'string') return value;
  const parsed = z.array(z.string()).safeParse(jsonOrNull(value));
  if (parsed.success) return parsed.data;
  context.addIssue({ code: 'custom', message: 'expected a list of strings, or a string that holds one as JSON' });
  return z.NEVER;
});

function jsonOrNull(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    return null;
  }
}

/** The columns of a row that are read; further columns are kept in the bundle and not looked at. */
export const RowColumns = z.object({
  instance_id: InstanceId,
  repo: filled,
  base_commit: filled,
  problem_statement: text,
  patch: text,
  test_patch: text,
  version: text.nullish(),
  FAIL_TO_PASS: TestIds,
  PASS_TO_PASS: TestIds,
  eval_script: filled,
  log_parser: filled,
  eval_type: z.enum(['pass_and_fail', 'fail_only']),
  image: z
    .string()
    .refine((name) => parseImage(name) !== null, IMAGE_EXPECTED)
    .nullish(),
});

/** A SWE-bench row, parted into what a model may see and what decides the verdict. */
export interface SwebenchRow {
  readonly instanceId: InstanceId;
  /** All that a trial may know. */
  readonly visible: {
    /** `owner/name`. */
    readonly repo: string;
    readonly baseCommit: string;
    readonly problemStatement: string;
  };
  /** Never enters a trial's sandbox; `patch` only for the agent oracle. */
  readonly hidden: {
    /** The reference solution, a git patch. */
    readonly patch: string;
    readonly testPatch: string;
    readonly failToPass: readonly string[];
    readonly passToPass: readonly string[];
    /** Run as `/bin/bash` script; applies the test patch and runs the tests. */
    readonly evalScript: string;
    /** Name of the official log parser, e.g. `parse_log_sympy`. */
    readonly logParser: string;
    readonly evalType: 'pass_and_fail' | 'fail_only';
  };
  /** The row's own image name, with or without a digest; null: it names none, so the official one is meant. */
  readonly image: string | null;
}
