import type Docker from 'dockerode';
import type { SandboxLog } from '../sandbox-log';
import type { SandboxRequest } from '../sandbox.port';
import { answered } from './bounded';
import { CorePool, type CoreLease, type Pinning } from './cores';

/** Pins sandboxes to cores of this worker's engine, and says where it cannot. */
export class Pinner {
  private pool: Promise<CorePool> | null = null;
  private readonly told = new Set<number>();

  constructor(
    private readonly docker: Docker,
    private readonly pinning: Pinning,
    private readonly logger: SandboxLog,
  ) {}

  /** Cores for a sandbox until they are given back; null: it runs on any. One that names its cores has them. */
  async take({ cpuset, limits }: Pick<SandboxRequest, 'cpuset' | 'limits'>): Promise<CoreLease | null> {
    if (cpuset !== undefined) return null;
    const lease = (await this.cores()).take(limits.cpus);
    if (lease === null) this.tell(limits.cpus);
    return lease;
  }

  private async cores(): Promise<CorePool> {
    const asking = this.pool ?? this.ask();
    this.pool = asking;
    try {
      return await asking;
    } catch (error) {
      this.pool = null;
      throw error;
    }
  }

  private async ask(): Promise<CorePool> {
    const { NCPU } = (await answered(this.docker.info(), 'prepare')) as { NCPU: number };
    return new CorePool(this.pinning, NCPU);
  }

  private tell(cpus: number): void {
    if (this.told.has(cpus)) return;
    this.told.add(cpus);
    this.logger.warn({ ...this.pinning, cpus }, 'Not pinned to cores: there are not enough for every slot');
  }
}
