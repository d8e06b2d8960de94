import type Docker from 'dockerode';
import { beyondEngine, type EngineSize } from '@assay/contracts';
import { InfraError } from '@assay/failures';
import type { SandboxLimits } from '../sandbox.port';
import { answered } from './bounded';
import { engine } from './engine-errors';

const MEBIBYTE = 1_048_576;

/** What an engine has, asked once: it does not grow while it runs. */
export class EngineCapacity {
  private size: Promise<EngineSize> | null = null;

  constructor(private readonly docker: Docker) {}

  /** @throws InfraError `limits_beyond_engine` for limits that no sandbox of this engine can have */
  async require(limits: SandboxLimits): Promise<void> {
    const size = await this.known();
    const beyond = beyondEngine(limits, size);
    if (beyond === null) return;
    const { field, wanted, most } = beyond;
    const message = `${field}: expected at most ${most}, what the Docker engine of this worker has, got ${wanted}`;
    throw new InfraError(message, { code: 'limits_beyond_engine', phase: 'prepare', details: { ...beyond } });
  }

  private async known(): Promise<EngineSize> {
    const asking = this.size ?? this.ask();
    this.size = asking;
    try {
      return await asking;
    } catch (error) {
      this.size = null;
      throw error;
    }
  }

  private ask(): Promise<EngineSize> {
    return engine('the Docker engine does not say what it has', 'prepare', async () => {
      const { NCPU, MemTotal } = (await answered(this.docker.info(), 'prepare')) as { NCPU: number; MemTotal: number };
      return { cpus: NCPU, memoryMb: MemTotal / MEBIBYTE };
    });
  }
}
