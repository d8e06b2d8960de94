import type { AgentPackage } from './agent-package';
import { archOf, type Arch } from './arch';
import { npmIntegrity } from './npm-registry.client';
import { resolvePip } from './pip-registry.client';

/**
 * The integrity of everything that an exact version consists of, as a run freezes it: one `sha512-…` for each package of npm,
 * the agent's own first, parted by blanks; for Python one `sha256-…` over the package and its dependencies. It holds for one
 * processor: the one that asks and those that run the trials are of one kind.
 * `registry`: of npm, in place of the one that npm is set up for.
 * @throws InfraError `agent_package_missing` when the registry has no such version, `agent_registry_unavailable`
 */
export async function resolvePackage(
  pack: AgentPackage,
  version: string,
  {
    signal,
    arch = archOf(),
    registry,
  }: { readonly signal: AbortSignal; readonly arch?: Arch; readonly registry?: string },
): Promise<string> {
  switch (pack.registry) {
    case 'npm': {
      const integrities: string[] = [];
      for (const part of pack.parts(version, arch)) integrities.push(await npmIntegrity(part, signal, registry));
      return integrities.join(' ');
    }
    case 'pip':
      return (await resolvePip(pack, version, { arch, signal })).integrity;
  }
}
