import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InfraError } from '@assay/failures';
import type { PipPackage } from './agent-package';
import type { Arch } from './arch';
import { corrupt, packageMissing, registryUnavailable } from './npm-registry.client';
import { registryCommand, type CommandAnswer } from './registry-command';

const PLATFORMS: Readonly<Record<Arch, readonly string[]>> = {
  x64: ['manylinux2014_x86_64', 'manylinux_2_17_x86_64', 'manylinux_2_28_x86_64'],
  arm64: ['manylinux2014_aarch64', 'manylinux_2_17_aarch64', 'manylinux_2_28_aarch64'],
};

/** One package of a resolved whole: `name==version --hash=sha256:…`. */
export interface PipClosure {
  readonly lines: readonly string[];
  /** `sha256-…` over the lines: of the package and of everything that it depends on. */
  readonly integrity: string;
}

interface Report {
  install: {
    metadata: { name: string; version: string };
    download_info: { archive_info?: { hashes?: { sha256?: string } } };
  }[];
}

/**
 * What a package and its dependencies are today, for the Python and the processor that it will run on. Only wheels: nothing of
 * a package is executed here.
 * @throws InfraError `agent_package_missing`, `agent_registry_unavailable`, `python_missing`
 */
export async function resolvePip(
  { name, python }: PipPackage,
  version: string,
  { arch, signal }: { readonly arch: Arch; readonly signal: AbortSignal },
): Promise<PipClosure> {
  const spec = `${name}==${version}`;
  const dir = await mkdtemp(join(tmpdir(), 'assay-pip-'));
  try {
    const report = join(dir, 'report.json');
    const args = ['--dry-run', '--ignore-installed', '--report', report, ...target(dir, python, arch), spec];
    const answer = await pip(['install', ...args], signal);
    if (answer.code !== 0) throw refusal(spec, answer);
    return closureOf(spec, JSON.parse(await readFile(report, 'utf8')) as Report);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

/**
 * Installs what was frozen into `dir`, each file checked against its hash.
 * @throws InfraError as `resolvePip`, and `agent_package_corrupt` when the registry offers other dependencies by now
 */
export async function installPip(
  pack: PipPackage,
  version: string,
  {
    wanted,
    dir,
    arch,
    signal,
  }: { readonly wanted: string; readonly dir: string; readonly arch: Arch; readonly signal: AbortSignal },
): Promise<void> {
  const { lines, integrity } = await resolvePip(pack, version, { arch, signal });
  const spec = `${pack.name}==${version}`;
  if (integrity !== wanted) throw corrupt(`${spec} with its dependencies`, wanted, integrity);
  const requirements = `${dir}.requirements.txt`;
  await writeFile(requirements, `${lines.join('\n')}\n`);
  try {
    const args = ['--no-deps', '--require-hashes', ...target(dir, pack.python, arch), '-r', requirements];
    const answer = await pip(['install', ...args], signal);
    if (answer.code !== 0) throw refusal(spec, answer);
  } finally {
    await rm(requirements, { force: true });
  }
}

function closureOf(spec: string, { install }: Report): PipClosure {
  const lines = install.map(({ metadata, download_info: from }) => {
    const hash = from.archive_info?.hashes?.sha256;
    if (hash === undefined) throw packageMissing(spec, `no hash for ${metadata.name} ${metadata.version}`);
    return `${metadata.name.toLowerCase()}==${metadata.version} --hash=sha256:${hash}`;
  });
  lines.sort();
  return { lines, integrity: `sha256-${createHash('sha256').update(lines.join('\n')).digest('base64')}` };
}

function target(dir: string, python: string, arch: Arch): string[] {
  const platforms = PLATFORMS[arch].flatMap((platform) => ['--platform', platform]);
  const wheels = ['--only-binary', ':all:', '--implementation', 'cp', '--python-version', python, ...platforms];
  return ['--quiet', '--disable-pip-version-check', '--no-warn-conflicts', '--target', dir, ...wheels];
}

async function pip(args: readonly string[], signal: AbortSignal): Promise<CommandAnswer> {
  try {
    return await registryCommand('python3', ['-m', 'pip', ...args], { cwd: tmpdir(), signal });
  } catch (cause) {
    signal.throwIfAborted();
    const options = { code: 'python_missing', phase: 'prepare', cause } as const;
    throw new InfraError('python3 with pip is needed on the executor for an agent of Python', options);
  }
}

function refusal(spec: string, { code, stderr }: CommandAnswer): InfraError {
  const text = stderr.replace(/https?:\/\/[^\s/]+/g, '<registry>').trim();
  if (/No module named pip/.test(text)) {
    return new InfraError('python3 has no pip, which an agent of Python needs', {
      code: 'python_missing',
      phase: 'prepare',
    });
  }
  if (/No matching distribution|Could not find a version/i.test(text)) return packageMissing(spec, text);
  if (/HASHES|do not match/i.test(text)) return corrupt(spec, 'the hashes that were resolved', text.slice(0, 500));
  return registryUnavailable(spec, text === '' ? `pip ended with exit ${String(code)}` : text);
}
