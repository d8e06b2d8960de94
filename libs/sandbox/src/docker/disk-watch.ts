import type Docker from 'dockerode';
import type { Phase } from '@assay/contracts';
import { AgentError, type BlamedError, TaskError } from '@assay/failures';
import { answered } from './bounded';
import { killContainer } from './remove-container';

const MEBIBYTE = 1_048_576;

/** The engine's own name of the option and the member, which the driver's types do not know. */
const WITH_SIZE: Docker.ContainerInspectOptions & { size: boolean } = { size: true };
type Sized = Docker.ContainerInspectInfo & { SizeRw?: number };

/** Between two looks: a fast writer gets a few GB further. Asking costs the engine up to 130 ms for 40,000 files. */
const LOOK_MS = 2_000;

/**
 * Looks at what a container has written from its first command on, and kills it beyond its bound: overlay2 on ext4 knows no
 * bound of its own (StorageOpt needs xfs with quotas). Files without content are not counted by the engine.
 */
export class DiskWatch {
  private timer: NodeJS.Timeout | null = null;
  private looking: Promise<void> | null = null;
  private foundMb: number | null = null;

  constructor(
    private readonly container: Docker.Container,
    private readonly maxMb: number,
    private readonly phase: Phase,
    private readonly lookMs = LOOK_MS,
  ) {}

  /** Begins, if it has not: what goes on between two commands is watched too. */
  start(): void {
    this.timer ??= setInterval(() => {
      this.looking ??= this.look().finally(() => {
        this.looking = null;
      });
    }, this.lookMs).unref();
  }

  stop(): void {
    if (this.timer !== null) clearInterval(this.timer);
    this.timer = null;
  }

  /** @throws AgentError (TaskError in a grade) `disk_exceeded` when the container was killed for it */
  async verdict(): Promise<void> {
    await this.looking;
    if (this.foundMb !== null) throw this.exceeded(this.foundMb);
  }

  private async look(): Promise<void> {
    try {
      const { SizeRw: bytes = 0 }: Sized = await answered(this.container.inspect(WITH_SIZE), this.phase);
      if (bytes <= this.maxMb * MEBIBYTE) return;
      this.foundMb = Math.ceil(bytes / MEBIBYTE);
      await killContainer(this.container);
      this.stop();
    } catch {
      // The container is gone, or the engine is: the command that runs in it hears of both.
    }
  }

  private exceeded(foundMb: number): BlamedError {
    const message = `the sandbox has written ${foundMb} MB, more than its ${this.maxMb} MB`;
    const options = { code: 'disk_exceeded' as const, phase: this.phase, details: { foundMb, maxMb: this.maxMb } };
    return this.phase === 'grade' ? new TaskError(message, options) : new AgentError(message, options);
  }
}
