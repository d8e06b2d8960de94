import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { InfraError } from '@assay/failures';
import type { NpmPart } from './agent-package';
import { registryCommand, type CommandAnswer } from './registry-command';

const QUIET = ['--no-audit', '--no-fund', '--no-update-notifier', '--loglevel=error'];

/** An exact version of a package. */
export type NpmVersion = Pick<NpmPart, 'name' | 'version'>;

/**
 * The integrity (`sha512-…`) that the registry states for an exact version.
 * @param registry in place of the one that npm is set up for
 * @throws InfraError `agent_package_missing`, `agent_registry_unavailable`
 */
export async function npmIntegrity(part: NpmVersion, signal: AbortSignal, registry?: string): Promise<string> {
  const where = registry === undefined ? [] : [`--registry=${registry}`];
  // Whoever asks comes again by itself, and wants to know what the registry said: npm would wait and keep it.
  const args = ['view', specOf(part), 'dist.integrity', '--json', '--fetch-retries=0', ...where, ...QUIET];
  const answer = await npm(args, { cwd: tmpdir(), signal });
  if (answer.code !== 0) throw refusal(part, answer);
  // For a version that it does not have, npm view says nothing and succeeds.
  const told = answer.stdout.trim() === '' ? null : (JSON.parse(answer.stdout) as unknown);
  if (typeof told === 'string' && told.startsWith('sha512-')) return told;
  throw missing(part, told === null ? 'no such version' : `an integrity of ${JSON.stringify(told)}`);
}

/**
 * Fetches the archive of an exact version into an empty folder and checks it.
 * @param wanted the integrity that was frozen; null: what npm itself checks it against is enough
 * @returns the archive, and its integrity as computed here
 * @throws InfraError as `npmIntegrity`, and `agent_package_corrupt`
 */
export async function fetchArchive(
  part: NpmPart,
  wanted: string | null,
  { dir, signal }: { readonly dir: string; readonly signal: AbortSignal },
): Promise<{ file: string; integrity: string }> {
  const args = ['pack', specOf(part), '--ignore-scripts', '--pack-destination', dir, ...QUIET];
  const answer = await npm(args, { cwd: dir, signal });
  if (answer.code !== 0) throw refusal(part, answer);
  const name = (await readdir(dir)).find((file) => file.endsWith('.tgz'));
  if (name === undefined) throw missing(part, 'npm pack left no archive');
  const file = join(dir, name);
  const integrity = await sha512(file);
  if (wanted !== null && integrity !== wanted) throw corrupt(specOf(part), wanted, integrity);
  return { file, integrity };
}

export function corrupt(spec: string, wanted: string, found: string): InfraError {
  return new InfraError(`${spec} is not what was frozen: expected ${wanted}, got ${found}`, {
    code: 'agent_package_corrupt',
    phase: 'prepare',
    details: { package: spec, wanted, found },
  });
}

/** The registry's (or Python's) answer that there is no such package or version. */
export function packageMissing(spec: string, answer: string): InfraError {
  return new InfraError(`${spec} is not in the registry: ${answer.slice(0, 500)}`, {
    code: 'agent_package_missing',
    phase: 'prepare',
    details: { package: spec, answer: answer.slice(0, 2_000) },
  });
}

export function registryUnavailable(spec: string, answer: string): InfraError {
  return new InfraError(`the registry cannot be asked for ${spec}: ${answer.slice(0, 500)}`, {
    code: 'agent_registry_unavailable',
    phase: 'prepare',
    details: { package: spec, answer: answer.slice(0, 2_000) },
  });
}

async function npm(args: readonly string[], options: Parameters<typeof registryCommand>[2]): Promise<CommandAnswer> {
  try {
    return await registryCommand('npm', args, options);
  } catch (cause) {
    options.signal.throwIfAborted();
    throw new InfraError('npm cannot be run: it comes with Node and must be on the PATH', {
      code: 'npm_missing',
      phase: 'prepare',
      cause,
    });
  }
}

function specOf({ name, version }: NpmVersion): string {
  return `${name}@${version}`;
}

function missing(part: NpmVersion, answer: string): InfraError {
  return packageMissing(specOf(part), answer);
}

function refusal(part: NpmVersion, { code, stderr, stdout }: CommandAnswer): InfraError {
  const text = withoutHosts(stderr.trim() === '' ? stdout.trim() : stderr.trim());
  if (/\b(E404|ETARGET|ENOVERSIONS|notarget)\b|No matching version|404 Not Found/i.test(text))
    return missing(part, text);
  if (/EINTEGRITY/.test(text)) return corrupt(specOf(part), 'what the registry states', text.slice(0, 500));
  return registryUnavailable(specOf(part), text === '' ? `npm ended with exit ${String(code)}` : text);
}

/** Addresses of registries may hold credentials, and say where a deployment buys. */
function withoutHosts(text: string): string {
  return text.replace(/https?:\/\/[^\s/]+/g, '<registry>');
}

async function sha512(file: string): Promise<string> {
  const hash = createHash('sha512');
  await pipeline(createReadStream(file), hash);
  return `sha512-${hash.digest('base64')}`;
}
