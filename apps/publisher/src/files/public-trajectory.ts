import { ContractError } from '@assay/failures';
import { publicText } from '@assay/scoring';
import { z } from 'zod';

/** What is let out of a trajectory: the members of the format (ATIF), and of ours the limit and the failure's code. */
const Trajectory = z.looseObject({
  schema_version: z.string(),
  steps: z.array(z.unknown()),
});
const MEMBERS = ['schema_version', 'session_id', 'agent', 'steps', 'final_metrics'] as const;
const Extra = z.object({
  limit: z.string().nullish(),
  failure: z.object({ blame: z.string(), code: z.string() }).nullish(),
});

/**
 * A trajectory as the public may read it. The executor has taken out the secrets that it knew by their value; here goes
 * what still looks like one, what our folders are called, and everything that is no part of the format.
 * @param secrets values that this process knows
 * @throws ContractError `trajectory_malformed`
 */
export function publicTrajectory(content: Buffer, secrets: readonly string[]): Buffer {
  const stored = parsed(content);
  const extra = Extra.safeParse(stored['extra']);
  const shown = {
    ...Object.fromEntries(MEMBERS.flatMap((name) => (name in stored ? [[name, stored[name]]] : []))),
    ...(extra.success ? { extra: extra.data } : {}),
  };
  return Buffer.from(`${JSON.stringify(cleaned(shown, secrets), null, 1)}\n`);
}

/** A patch as the public may read it: text, line by line as it was, without what looks like a secret. */
export function publicPatch(content: Buffer, secrets: readonly string[]): Buffer {
  // Byte for byte: a patch may hold any encoding.
  return Buffer.from(clean(content.toString('latin1'), secrets), 'latin1');
}

function parsed(content: Buffer): z.infer<typeof Trajectory> {
  try {
    return Trajectory.parse(JSON.parse(content.toString('utf8')));
  } catch (error) {
    throw new ContractError('a stored trajectory cannot be read', {
      code: 'trajectory_malformed',
      phase: 'publish',
      cause: error,
    });
  }
}

function cleaned(value: unknown, secrets: readonly string[]): unknown {
  if (typeof value === 'string') return clean(value, secrets);
  if (Array.isArray(value)) return value.map((one) => cleaned(one, secrets));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [clean(name, secrets), cleaned(member, secrets)]),
  );
}

function clean(text: string, secrets: readonly string[]): string {
  const known = secrets.reduce((kept, secret) => (secret === '' ? kept : kept.replaceAll(secret, '[redacted]')), text);
  return publicText(known);
}
