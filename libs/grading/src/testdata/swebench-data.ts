import { createReadStream, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createGunzip } from 'node:zlib';
import { sharedData } from '@assay/testing';
import type { EvalType } from '../report/case-outcome';
import type { InstanceReport } from '../report/report';
import type { Resolution } from '../report/resolution';

/** Folder of logs graded by the official code, below `../shared/data`. */
export const GRADED = 'swebench';

/** A log and the official answer. */
export interface GradedLog {
  readonly instance_id: string;
  readonly log: string;
  readonly log_parser: string;
  readonly eval_type: EvalType;
  readonly FAIL_TO_PASS: string[];
  readonly PASS_TO_PASS: string[];
  readonly found: boolean;
  readonly resolution: Resolution | null;
  /** `[["found", …], ["status_map", {id: status}]]` */
  readonly status_map: [[string, boolean], [string, Record<string, string>]];
  readonly report: Record<string, InstanceReport>;
}

export interface EdgeLog extends Omit<GradedLog, 'found' | 'status_map' | 'report'> {
  readonly name: string;
  readonly model_patch: string | null;
  readonly report: InstanceReport;
}

export interface EdgeParse {
  readonly parser: string;
  readonly log: string;
  readonly map: [string, string][];
}

/** Streams the graded logs: together they are large. */
export async function* gradedLogs(): AsyncGenerator<GradedLog> {
  const input = createReadStream(join(sharedData(GRADED), 'graded-logs.jsonl.gz')).pipe(createGunzip());
  for await (const line of createInterface({ input, crlfDelay: Infinity })) yield JSON.parse(line) as GradedLog;
}

/** None where the data is absent. */
export function edgeLogs(): EdgeLog[] {
  return jsonLines('edge-grading.jsonl') as EdgeLog[];
}

/** None where the data is absent. */
export function edgeParses(): EdgeParse[] {
  return jsonLines('edge-parsers.jsonl') as EdgeParse[];
}

function jsonLines(name: string): unknown[] {
  const file = join(sharedData(GRADED), name);
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as unknown);
}
