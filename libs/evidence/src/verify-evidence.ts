import type { KeyObject } from 'node:crypto';
import { RunResult } from '@assay/contracts';
import { decideAgain } from './decide-again';
import { differences } from './differences';
import { Envelope, keyId, signerOf } from './dsse';
import { PAYLOAD_TYPE, Statement, type Subject, summaryOf } from './statement';

/** What is checked. */
export interface Evidence {
  /** The text of the signed statement's file. */
  readonly envelope: string;
  /** Every file that was found beside it, with its sha256 as it is now. */
  readonly files: readonly Subject[];
  /** The text of the result's file; null where there is none among the files. */
  readonly result: { readonly name: string; readonly text: string } | null;
}

/** Something that is not as it was signed, in one sentence. */
export interface Finding {
  readonly about: 'statement' | 'signature' | 'file' | 'result' | 'gate' | 'notes';
  readonly message: string;
}

export interface Verdict {
  /** The id of the trusted key that signed; null where none did. */
  readonly signedBy: string | null;
  readonly statement: Statement | null;
  /** Empty exactly when everything holds. */
  readonly findings: readonly Finding[];
}

/**
 * Checks the signature against the trusted keys, every file against its signed digest, the result against the signed
 * summary, and decides score and gate again from the instances. All findings at once; pure.
 */
export function verifyEvidence({ envelope: text, files, result }: Evidence, trusted: readonly KeyObject[]): Verdict {
  const envelope = Envelope.safeParse(jsonOf(text));
  if (!envelope.success) {
    return failed('statement', `the statement is no DSSE envelope: ${envelope.error.issues[0]?.message ?? ''}`);
  }
  const signer = signerOf(envelope.data, trusted);
  const statement = statementOf(envelope.data);
  const findings: Finding[] = [];
  if (signer === null) findings.push({ about: 'signature', message: unsigned(envelope.data, trusted) });
  if (statement === null) {
    findings.push({ about: 'statement', message: 'the signed payload is no in-toto statement of a test result' });
    return { signedBy: signer === null ? null : keyId(signer), statement: null, findings };
  }
  findings.push(...fileFindings(statement, files));
  findings.push(...(result === null ? [] : resultFindings(statement, result)));
  return { signedBy: signer === null ? null : keyId(signer), statement, findings };
}

function failed(about: Finding['about'], message: string): Verdict {
  return { signedBy: null, statement: null, findings: [{ about, message }] };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function statementOf({ payloadType, payload }: Envelope): Statement | null {
  if (payloadType !== PAYLOAD_TYPE) return null;
  const parsed = Statement.safeParse(jsonOf(Buffer.from(payload, 'base64').toString('utf8')));
  return parsed.success ? parsed.data : null;
}

/** Whether the key is another, or the statement was changed, is told apart by the key's id. */
function unsigned({ signatures }: Envelope, trusted: readonly KeyObject[]): string {
  const ids = trusted.map(keyId);
  const named = signatures.map(({ keyid }) => keyid);
  const known = named.find((id) => ids.includes(id));
  if (known !== undefined) {
    return `the signature of key ${known} does not fit: the statement or its signature was changed after signing`;
  }
  return `no trusted key signed it: it names ${named.join(', ')}, trusted are ${ids.join(', ') || 'none'}`;
}

function fileFindings({ subject }: Statement, files: readonly Subject[]): Finding[] {
  const found = new Map(files.map(({ name, sha256 }) => [name, sha256]));
  return subject.flatMap(({ name, digest }): Finding[] => {
    const now = found.get(name);
    if (now === undefined) return [{ about: 'file', message: `${name} is signed, but not there` }];
    if (now === digest.sha256) return [];
    return [{ about: 'file', message: `${name} was changed: its sha256 is ${now}, signed is ${digest.sha256}` }];
  });
}

function resultFindings(statement: Statement, { name, text }: { name: string; text: string }): Finding[] {
  const parsed = RunResult.safeParse(jsonOf(text));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return [
      { about: 'result', message: `${name} is no result: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}` },
    ];
  }
  const signed = differences(statement.predicate.assay, summaryOf(parsed.data));
  const again = parsed.data.status === 'FAILED' ? [] : differences(decideAgain(parsed.data), parsed.data);
  return [
    ...signed.map(({ field, first, second }): Finding => ({
      about: 'result',
      message: `${name}: ${field} is ${second}, signed is ${first}`,
    })),
    ...again.map(({ field, first, second }): Finding => ({
      about: 'gate',
      message: `${name}: ${field} is ${second}, its instances give ${first}`,
    })),
  ];
}
