import { createReadStream, existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { createGunzip } from 'node:zlib';
import type { EvalType } from '../report/case-outcome';
import type { InstanceReport } from '../report/report';
import type { Resolution } from '../report/resolution';

/** Logs graded by the official code, kept beside the checkout and never inside it. */
const DATA = resolve(__dirname, '../../../../../shared/data/swebench');

/** Null when the data is there, else what is missing. */
export function missingData(): string | null {
  return existsSync(DATA) ? null : `no graded logs at ${DATA}`;
}

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
  const input = createReadStream(resolve(DATA, 'graded-logs.jsonl.gz')).pipe(createGunzip());
  for await (const line of createInterface({ input, crlfDelay: Infinity })) yield JSON.parse(line) as GradedLog;
}

export function edgeLogs(): EdgeLog[] {
  return jsonLines('edge-grading.jsonl') as EdgeLog[];
}

export function edgeParses(): EdgeParse[] {
  return jsonLines('edge-parsers.jsonl') as EdgeParse[];
}

function jsonLines(name: string): unknown[] {
  if (missingData() !== null) return [];
  const lines = readFileSync(resolve(DATA, name), 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as unknown);
}
