import { InstanceId } from '@assay/contracts';
import { z } from 'zod';
import { IMAGE_EXPECTED, parseImage } from './image-reference';
import { TestIds } from './test-ids.schema';

const text = z.string();
const filled = z.string().min(1);

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
