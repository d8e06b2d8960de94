import type Docker from 'dockerode';
import { setTimeout as delay } from 'node:timers/promises';
import type { Phase } from '@assay/contracts';
import { AgentError, type BlamedError, InfraError, TaskError } from '@assay/failures';
import { answered } from './bounded';
import type { EngineDisk } from './disk/engine-disk';
import { isSuspect, type GrowthSeen } from './disk/hidden-growth.policy';
import { killContainer } from './remove-container';

const MEBIBYTE = 1_048_576;

/** The engine's own name of the option and the member, which the driver's types do not know. */
const WITH_SIZE: Docker.ContainerInspectOptions & { size: boolean } = { size: true };
interface Sized extends Pick<Docker.ContainerInspectInfo, 'Mounts'> {
  readonly SizeRw?: number;
  /** Absent where the engine keeps its images in containerd. */
  readonly GraphDriver?: { readonly Data?: unknown };
}

/**
 * Between two looks: a fast writer gets a few GB further. A look costs the engine up to 130 ms for 40,000 files, and the
 * looker some milliseconds.
 */
const LOOK_MS = 2_000;

/** What the kernel may take to give back the space of files that nobody holds any more. */
const RETURN_MS = 10_000;
const BETWEEN_MS = 50;

export interface DiskWatchOptions {
  readonly maxMb: number;
  readonly phase: Phase;
  /** Sees what is held without a name, and the free space. */
  readonly disk: Pick<EngineDisk, 'look' | 'weigh' | 'inTurn'>;
  /** Free space below which the engine's disk is nearly full. */
  readonly nearlyFullMb: number;
  /** Milliseconds. */
  readonly lookMs?: number | undefined;
  /** Milliseconds. */
  readonly returnMs?: number;
}

/** What a look finds. Bytes. */
interface Found {
  /** With a name in the container's writable layer, and without one. */
  readonly bytes: number;
  readonly unnamedBytes: number;
  /** Null where nobody can see it. */
  readonly freeBytes: number | null;
  readonly hides: boolean;
}

/**
 * Looks at what a container has on the disk from its first command on, and kills it beyond its bound: overlay2 on ext4
 * knows no bound of its own (StorageOpt needs xfs with quotas). Files without content are not counted by the engine, and
 * files without a name are counted by a looker of ours. What neither can see is told by the disk getting full.
 */
export class DiskWatch {
  private timer: NodeJS.Timeout | null = null;
  private looking: Promise<void> | null = null;
  private ended: BlamedError | null = null;
  private mostFreeBytes = 0;

  constructor(
    private readonly container: Docker.Container,
    private readonly options: DiskWatchOptions,
  ) {}

  /** Begins, if it has not: what goes on between two commands is watched too. */
  start(): void {
    this.timer ??= setInterval(() => {
      this.looking ??= this.look().finally(() => {
        this.looking = null;
      });
    }, this.options.lookMs ?? LOOK_MS).unref();
  }

  stop(): void {
    if (this.timer !== null) clearInterval(this.timer);
    this.timer = null;
  }

  /**
   * @throws when the container was killed for the disk: AgentError (TaskError in a grade) `disk_exceeded`, InfraError
   *   `disk_full` where it is not known that it was this one
   */
  async verdict(): Promise<void> {
    await this.looking;
    if (this.ended !== null) throw this.ended;
  }

  private async look(): Promise<void> {
    try {
      const found = await this.measured();
      if (await this.isBeyond(found)) await this.end(this.exceeded(found.bytes));
      else if (this.isSuspect(found)) await this.options.disk.inTurn(() => this.unmask());
    } catch {
      // The container is gone, or the engine is: the command that runs in it hears of both.
    }
  }

  /** A file may lose or get its name between the two counts: what is held without one first, and over the bound twice. */
  private async isBeyond({ bytes, unnamedBytes }: Found): Promise<boolean> {
    const max = this.options.maxMb * MEBIBYTE;
    return bytes > max && (unnamedBytes === 0 || (await this.measured()).bytes > max);
  }

  private async measured(): Promise<Found> {
    const { phase, disk } = this.options;
    const sight = await disk.look();
    const inspected: Sized = await answered(this.container.inspect(WITH_SIZE), phase);
    const { bytes: named, told } = await this.named(inspected);
    const held = sight?.held[this.container.id] ?? { bytes: 0, hides: false };
    const freeBytes = sight?.freeBytes ?? null;
    this.mostFreeBytes = Math.max(this.mostFreeBytes, freeBytes ?? 0);
    // What the engine counts and nobody finds: sparse files, or files that were moved away from who weighs them.
    const hides =
      held.hides ||
      told > named ||
      inspected.Mounts.some(({ Type, RW, Destination }) => isOfImage(Type, RW, Destination));
    return { bytes: named + held.bytes, unnamedBytes: held.bytes, freeBytes, hides };
  }

  /** The engine counts what files seem to hold: where that is too much, what they take up on the disk stands instead. */
  private async named({ SizeRw: told = 0, GraphDriver }: Sized): Promise<{ bytes: number; told: number }> {
    const max = this.options.maxMb * MEBIBYTE;
    const { UpperDir: dir } = (GraphDriver?.Data ?? {}) as { UpperDir?: string };
    if (told <= max || dir === undefined) return { bytes: told, told };
    const weighed = await this.options.disk.weigh(dir, max);
    return weighed === null || weighed > max ? { bytes: told, told } : { bytes: weighed, told };
  }

  private isSuspect({ bytes, freeBytes, hides }: Found): boolean {
    if (freeBytes === null) return false;
    const { nearlyFullMb, maxMb } = this.options;
    const seen: GrowthSeen = { countedBytes: bytes, freeBytes, mostFreeBytes: this.mostFreeBytes, hides };
    return isSuspect(seen, { floorBytes: nearlyFullMb * MEBIBYTE, maxBytes: maxMb * MEBIBYTE });
  }

  /** Kills a suspect, unless it is none any more; what comes back then is the evidence against it. */
  private async unmask(): Promise<void> {
    const before = await this.measured();
    if (before.freeBytes === null || !this.isSuspect(before)) return;
    await this.end(this.full(before.freeBytes));
    const named = before.bytes - before.unnamedBytes;
    const { disk, maxMb, returnMs = RETURN_MS } = this.options;
    const until = Date.now() + returnMs;
    while (Date.now() < until) {
      const sight = await disk.look();
      if (sight === null) return;
      const returned = sight.freeBytes - before.freeBytes;
      if (returned > maxMb * MEBIBYTE) {
        this.ended = this.exceeded(named + returned);
        return;
      }
      await delay(BETWEEN_MS);
    }
  }

  private async end(why: BlamedError): Promise<void> {
    this.ended = why;
    this.stop();
    await killContainer(this.container);
  }

  private full(freeBytes: number): InfraError {
    const freeMb = Math.floor(freeBytes / MEBIBYTE);
    const message = `the engine's disk has ${freeMb} MB left, and this sandbox has files that cannot be weighed`;
    return new InfraError(message, { code: 'disk_full', phase: this.options.phase, details: { freeMb } });
  }

  private exceeded(bytes: number): BlamedError {
    const { maxMb, phase } = this.options;
    const foundMb = Math.ceil(bytes / MEBIBYTE);
    const message = `the sandbox has written ${foundMb} MB, more than its ${maxMb} MB`;
    const options = { code: 'disk_exceeded' as const, phase, details: { foundMb, maxMb } };
    return phase === 'grade' ? new TaskError(message, options) : new AgentError(message, options);
  }
}

/** A volume that the image declares: the engine counts nothing in it. `/tmp` is ours, and memory. */
function isOfImage(type: string | undefined, writable: boolean, destination: string): boolean {
  return type === 'volume' && writable && destination !== '/tmp';
}
