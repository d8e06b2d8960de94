import { createHash, type KeyObject } from 'node:crypto';
import { Counts, RunId, type RunResult, RunState, Score } from '@assay/contracts';
import { z } from 'zod';
import { type Envelope, signEnvelope } from './dsse';

/** https://github.com/in-toto/attestation/blob/main/spec/v1/statement.md */
export const STATEMENT_TYPE = 'https://in-toto.io/Statement/v1';
/** https://github.com/in-toto/attestation/blob/main/spec/predicates/test-result.md */
export const PREDICATE_TYPE = 'https://in-toto.io/attestation/test-result/v0.1';
export const PAYLOAD_TYPE = 'application/vnd.in-toto+json';

const sha256 = z.strictObject({
  sha256: z.string().regex(/^[0-9a-f]{64}$/, 'expected 64 lower-case hexadecimal digits'),
});

/** The heart of a result, signed with it, so that a changed file can be told from what was signed, field by field. */
export const Summary = z.strictObject({
  runId: RunId,
  suite: z.string(),
  status: RunState,
  release: z.strictObject({ repository: z.string(), tag: z.string() }).nullable(),
  evaluated: z.strictObject({ ref: z.string(), commit: z.string().nullable(), packageVersion: z.string().nullable() }),
  model: z.string(),
  counts: Counts.nullable(),
  score: Score.nullable(),
});
export type Summary = z.infer<typeof Summary>;

/** What is said of the files of one publication. Unknown keys of other predicates' readers are ignored by in-toto's rules. */
export const Statement = z.strictObject({
  _type: z.literal(STATEMENT_TYPE),
  subject: z.array(z.strictObject({ name: z.string().min(1), digest: sha256 })).min(1),
  predicateType: z.literal(PREDICATE_TYPE),
  predicate: z.strictObject({
    result: z.enum(['PASSED', 'WARNED', 'FAILED']),
    configuration: z.array(z.strictObject({ name: z.string(), digest: sha256 })),
    assay: Summary,
  }),
});
export type Statement = z.infer<typeof Statement>;

/** A file of a publication: its name on the release, and its sha256 in hexadecimal. */
export interface Subject {
  readonly name: string;
  readonly sha256: string;
}

/** The statement over the files of a publication, signed. */
export function signStatement(
  summary: Summary,
  manifestDigest: string | null,
  files: readonly Subject[],
  key: KeyObject,
): Envelope {
  const statement: Statement = {
    _type: STATEMENT_TYPE,
    subject: files.map(({ name, sha256: digest }) => ({ name, digest: { sha256: digest } })),
    predicateType: PREDICATE_TYPE,
    predicate: {
      result: outcomeOf(summary.status),
      configuration: manifestDigest === null ? [] : [{ name: 'manifest', digest: { sha256: manifestDigest } }],
      assay: summary,
    },
  };
  return signEnvelope(PAYLOAD_TYPE, Buffer.from(JSON.stringify(Statement.parse(statement))), key);
}

export function summaryOf(result: RunResult): Summary {
  const { runId, suite, status, release, evaluated, model } = result;
  const measured =
    result.status === 'FAILED' ? { counts: null, score: null } : { counts: result.counts, score: result.score };
  return { runId, suite, status, release, evaluated, model, ...measured };
}

export function sha256Of(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}

/** SUCCEEDED is a run that may be believed, not a suite that was solved. */
function outcomeOf(status: Summary['status']): Statement['predicate']['result'] {
  if (status === 'SUCCEEDED') return 'PASSED';
  return status === 'QUARANTINED' ? 'WARNED' : 'FAILED';
}
