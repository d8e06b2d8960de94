/** Which cores a worker's sandboxes are pinned to. */
export interface Pinning {
  /** `auto`: all that the engine has. Those that it does not have count as not there. */
  readonly cores: 'auto' | readonly number[];
  /** Sandboxes at the same time: only what is enough for each of them is shared out. */
  readonly slots: number;
}

/** Cores that one sandbox has to itself. */
export interface CoreLease {
  /** As the kernel writes a list, e.g. `2,3`. */
  readonly cpuset: string;
  /** Gives them back; a second time does nothing. */
  giveBack(): void;
}

/** The cores of a worker, shared out so that no two of its sandboxes have one in common. */
export class CorePool {
  private readonly free: number[];
  private readonly perSlot: number;

  constructor({ cores, slots }: Pinning, engineCores: number) {
    const all = Array.from({ length: engineCores }, (_, core) => core);
    this.free = cores === 'auto' ? all : all.filter((core) => cores.includes(core));
    this.perSlot = Math.floor(this.free.length / slots);
  }

  /**
   * Takes as many whole cores as a sandbox of so many CPUs can use; null where there are not so many for every slot: half
   * of the sandboxes pinned and half of them not would disturb each other more than none pinned.
   */
  take(cpus: number): CoreLease | null {
    const wanted = Math.max(1, Math.ceil(cpus));
    if (wanted > this.perSlot || wanted > this.free.length) return null;
    let taken = this.free.splice(0, wanted);
    return {
      cpuset: taken.join(','),
      giveBack: () => {
        this.free.push(...taken);
        this.free.sort((a, b) => a - b);
        taken = [];
      },
    };
  }
}
