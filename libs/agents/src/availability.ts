import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { archOf } from './layers/arch';
import { defaultLayersDir } from './layers/agent-layers';
import { agentNamed } from './registry';

/** Why an agent cannot be had on this machine; null when it can. Asked while tests are declared, so that a skip is counted. */
export function whyNotHere(name: string): string | null {
  if (process.platform !== 'linux') return `${name} runs on Linux only`;
  const { package: pack = null, version } = agentNamed(name);
  if (pack === null || isCached(name, version)) return null;
  if (pack.registry === 'npm') {
    for (const part of pack.parts(version, archOf())) {
      const spec = `${part.name}@${part.version}`;
      if (!succeeds('npm', ['view', spec, 'dist.integrity'])) return `npm's registry here has no ${spec}`;
    }
    return null;
  }
  if (
    !succeeds('python3', ['-c', `import sys; sys.exit(sys.version_info[:2] != (${pack.python.replace('.', ',')}))`])
  ) {
    return `${name} needs python3 ${pack.python}`;
  }
  const fetched = ['-m', 'pip', 'index', 'versions', pack.name, '--disable-pip-version-check'];
  return succeeds('python3', fetched) ? null : `Python's registry here has no ${pack.name}, or pip is missing`;
}

function isCached(name: string, version: string): boolean {
  const dir = defaultLayersDir();
  return existsSync(dir) && readdirSync(dir).some((id) => id.startsWith(`${name}-${version}-`));
}

function succeeds(command: string, args: string[]): boolean {
  const { status, stdout } = spawnSync(command, args, { encoding: 'utf8', timeout: 60_000, cwd: '/' });
  return status === 0 && (command !== 'npm' || stdout.trim() !== '');
}
