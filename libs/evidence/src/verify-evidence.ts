import type { KeyObject } from 'node:crypto';
import { RunResult } from '@assay/contracts';
import { decideAgain } from './decide-again';
import { differences } from './differences';
import { Envelope, keyId, signerOf, type Signer } from './dsse';
import { PAYLOAD_TYPE, Statement, type Subject, summaryOf } from './statement';

/** A file that was found beside a statement: its sha256 as it is now, or why it could not be read, in words after its name. */
export type FoundFile = Subject | { readonly name: string; readonly trouble: string };

/** What is checked. */
export interface Evidence {
  /** The text of the signed statement's file. */
  readonly envelope: string;
  /** Every file that was found beside it. */
  readonly files: readonly FoundFile[];
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
  /** What is odd, and takes nothing from what was signed. */
  readonly warnings: readonly string[];
  /** Empty exactly when everything holds. */
  readonly findings: readonly Finding[];
}

/**
 * Checks the signature against the trusted keys, every file against its signed digest, the result against the signed
 * summary, and decides score and gate again from the instances. All findings at once; pure.
 */
export function verifyEvidence({ envelope: text, files, result }: Evidence, trusted: readonly KeyObject[]): Verdict {
  const parsed = jsonOf(text);
  if ('trouble' in parsed) return failed('statement', `the statement ${parsed.trouble}`);
  const envelope = Envelope.safeParse(parsed.value);
  if (!envelope.success) {
    return failed('statement', `the statement is no DSSE envelope: ${envelope.error.issues[0]?.message ?? ''}`);
  }
  const signer = signerOf(envelope.data, trusted);
  const statement = statementOf(envelope.data);
  const signedBy = signer === null ? null : keyId(signer.key);
  const warnings = signer === null ? [] : warningsOf(signer);
  const findings: Finding[] = [];
  if (signer === null) findings.push({ about: 'signature', message: unsigned(envelope.data, trusted) });
  if (statement === null) {
    findings.push({ about: 'statement', message: 'the signed payload is no in-toto statement of a test result' });
    return { signedBy, statement: null, warnings, findings };
  }
  findings.push(...fileFindings(statement, files));
  findings.push(...(result === null ? [] : resultFindings(statement, result)));
  return { signedBy, statement, warnings, findings };
}

function failed(about: Finding['about'], message: string): Verdict {
  return { signedBy: null, statement: null, warnings: [], findings: [{ about, message }] };
}

/** The value, or why there is none and where the text ends: one that was cut off is told by that. */
function jsonOf(text: string): { readonly value: unknown } | { readonly trouble: string } {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch (error) {
    const lines = text.split('\n');
    const end = `it ends in line ${lines.length}, column ${(lines.at(-1) ?? '').length}`;
    return { trouble: `is no JSON: ${error instanceof Error ? error.message : String(error)}; ${end}` };
  }
}

/** A key id is a hint that no signature covers (https://github.com/secure-systems-lab/dsse/blob/master/protocol.md). */
function warningsOf({ key, keyid }: Signer): string[] {
  const id = keyId(key);
  if (keyid === '' || keyid === id) return [];
  return [
    `the signature names the key ${keyid}, but it is of the trusted key ${id}: its key id was changed or is of another kind`,
  ];
}

function statementOf({ payloadType, payload }: Envelope): Statement | null {
  if (payloadType !== PAYLOAD_TYPE) return null;
  const json = jsonOf(Buffer.from(payload, 'base64').toString('utf8'));
  return 'value' in json ? (Statement.safeParse(json.value).data ?? null) : null;
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

function fileFindings({ subject }: Statement, files: readonly FoundFile[]): Finding[] {
  const found = new Map(files.map((file) => [file.name, file]));
  return subject.flatMap(({ name, digest }): Finding[] => {
    const now = found.get(name);
    if (now === undefined) return [{ about: 'file', message: `${name} is signed, but not there` }];
    if ('trouble' in now) return [{ about: 'file', message: `${name} ${now.trouble}` }];
    if (now.sha256 === digest.sha256) return [];
    return [{ about: 'file', message: `${name} was changed: its sha256 is ${now.sha256}, signed is ${digest.sha256}` }];
  });
}

function resultFindings(statement: Statement, { name, text }: { name: string; text: string }): Finding[] {
  const json = jsonOf(text);
  if ('trouble' in json) return [{ about: 'result', message: `${name} ${json.trouble}` }];
  const parsed = RunResult.safeParse(json.value);
  if (!parsed.success) {
    const [{ path, message } = { path: [], message: '' }] = parsed.error.issues;
    const where = path.length === 0 ? '' : `${path.join('.')}: `;
    return [{ about: 'result', message: `${name} is no result: ${where}${message}` }];
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
