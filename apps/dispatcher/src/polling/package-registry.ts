import { npmIntegrity, resolveAgent } from '@assay/agents';
import { InfraError } from '@assay/failures';

/** What a registry that answers at all needs; npm would wait for minutes. */
const TIMEOUT_MS = 30_000;

/** Asks the package registry, with the npm and the settings that the executors install by. */
export class PackageRegistry {
  /** @param registry null: the one that npm is set up for */
  constructor(
    private readonly registry: string | null,
    private readonly timeoutMs = TIMEOUT_MS,
  ) {}

  /**
   * Resolves when npm has this version; with its integrity.
   * @throws InfraError `agent_package_missing`, `agent_registry_unavailable`
   */
  require(name: string, version: string, signal: AbortSignal): Promise<string> {
    return this.bounded(`${name}@${version}`, signal, (both) =>
      npmIntegrity({ name, version }, both, this.registry ?? undefined),
    );
  }

  /** As `resolveAgent`: the integrity of everything that an agent consists of; null: it is part of this build. */
  async integrityOf(agent: string, version: string, signal: AbortSignal): Promise<string | null> {
    const { integrity } = await this.bounded(`${agent} ${version}`, signal, (both) =>
      resolveAgent(agent, version, both, this.registry ?? undefined),
    );
    return integrity;
  }

  private async bounded<T>(what: string, signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const late = AbortSignal.timeout(this.timeoutMs);
    try {
      return await work(AbortSignal.any([signal, late]));
    } catch (cause) {
      if (!late.aborted || signal.aborted) throw cause;
      throw new InfraError(`the registry did not answer within ${this.timeoutMs / 1_000} s when asked for ${what}`, {
        code: 'agent_registry_unavailable',
        phase: 'dispatch',
        details: { package: what },
        cause,
      });
    }
  }
}
