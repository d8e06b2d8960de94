import type Docker from 'dockerode';
import { SILENT, type SandboxLog } from '../../sandbox-log';
import { answered } from '../bounded';
import { statusOf } from '../engine-errors';
import { bytesOf, imagesToEvict, largestOwnPart, type Layer, type StoredImage } from './eviction';
import { sizedLayers, type HistoryEntry } from './sized-layers';
import type { OwnImages } from './own-images';
import { isOthersToo, namesOf, type Named } from './image-names';

const MEBIBYTE = 1_048_576;

/**
 * How long an image must have rested before it may go. Short where it is known what open runs need; long where nobody can
 * say: between a trial and its grade lie minutes, and the image that a grade finds gone may be built to another one.
 * Milliseconds.
 */
const RESTED_MS = 600_000;
const RESTED_UNKNOWN_MS = 21_600_000;

/** What the types of the driver do not know. */
interface Inspected extends Named {
  readonly Created: string;
  readonly Metadata?: { readonly LastTagTime?: string };
  readonly RootFS: { readonly Layers?: readonly string[] | undefined };
}

interface OwnImage extends StoredImage {
  /** All names, ours last: with the last the image goes. */
  readonly names: readonly string[];
}

export interface BudgetOptions {
  readonly budgetMb: number;
  /** Replaces how long an image must have rested. Milliseconds. */
  readonly restedMs?: number;
  /** Absent: nothing is said. */
  readonly logger?: SandboxLog;
}

/** Keeps the images that we built or pulled within their bound on the disk. */
export class ImageBudget {
  private readonly layers = new Map<string, readonly Layer[]>();
  /** Whether what stays took more than the budget when it was last looked at. */
  private over = false;

  constructor(
    private readonly docker: Docker,
    private readonly own: OwnImages,
    private readonly options: BudgetOptions,
  ) {}

  /**
   * Removes what the budget has no room for. Resolves with how many images went.
   * @param needed own names that open runs want; null: nobody can say
   */
  async keep(needed: ReadonlySet<string> | null): Promise<number> {
    const found = await this.stored(needed);
    const gone = await this.evict(found, this.budgetBytes, needed);
    this.tell(bytesOf(found.filter(({ id }) => !gone.has(id))));
    return gone.size;
  }

  /** Once for each time that what must stay outgrows the budget. */
  private tell(bytes: number): void {
    const { logger = SILENT, budgetMb } = this.options;
    const over = bytes > this.budgetBytes;
    if (over && !this.over) {
      const megabytes = Math.ceil(bytes / MEBIBYTE);
      logger.warn({ megabytes, budgetMb }, 'Images that are needed or were used lately take more than their budget');
    }
    this.over = over;
  }

  /** Makes room for one more image like those that are here, as far as others may go, and tells whether there is. */
  async hasRoom(needed: ReadonlySet<string> | null): Promise<boolean> {
    const found = await this.stored(needed);
    const room = this.budgetBytes - largestOwnPart(found);
    const gone = await this.evict(found, room, needed);
    return bytesOf(found.filter(({ id }) => !gone.has(id))) <= room;
  }

  private get budgetBytes(): number {
    return this.options.budgetMb * MEBIBYTE;
  }

  private async stored(needed: ReadonlySet<string> | null): Promise<OwnImage[]> {
    const containers = await answered(this.docker.listContainers({ all: true }), 'prepare');
    const inUse = new Set(containers.map(({ ImageID }) => ImageID));
    const stored: OwnImage[] = [];
    for (const { Id, RepoTags } of await answered(this.docker.listImages(), 'prepare')) {
      const ownNames = (RepoTags ?? []).filter((name) => this.own.isOurs(name));
      if (ownNames.length === 0) continue;
      const found = await this.inspect(Id);
      if (found === null) continue;
      const removable = namesOf(found).filter((name) => !ownNames.includes(name));
      stored.push({
        id: Id,
        names: [...removable, ...ownNames],
        layers: await this.layersOf(Id, found),
        lastUsed: lastUsed(found),
        needed: inUse.has(Id) || isOthersToo(removable) || ownNames.some((name) => needed?.has(name) === true),
      });
    }
    return stored;
  }

  private async evict(
    stored: readonly OwnImage[],
    budgetBytes: number,
    needed: ReadonlySet<string> | null,
  ): Promise<ReadonlySet<string>> {
    const { restedMs = needed === null ? RESTED_UNKNOWN_MS : RESTED_MS } = this.options;
    const gone = new Set(imagesToEvict(stored, { budgetBytes, restedSince: Date.now() - restedMs }));
    for (const { id, names } of stored) if (gone.has(id)) await this.remove(names);
    return gone;
  }

  /** A name that another took away, or an image that a container got meanwhile, is no failure. */
  private async remove(names: readonly string[]): Promise<void> {
    for (const name of names) {
      try {
        await answered(this.docker.getImage(name).remove(), 'prepare');
      } catch (error) {
        if (statusOf(error) !== 404 && statusOf(error) !== 409) throw error;
      }
    }
  }

  private async inspect(id: string): Promise<Inspected | null> {
    try {
      return await answered(this.docker.getImage(id).inspect(), 'prepare');
    } catch (error) {
      if (statusOf(error) === 404) return null;
      throw error;
    }
  }

  private async layersOf(id: string, { RootFS }: Inspected): Promise<readonly Layer[]> {
    const known = this.layers.get(id);
    if (known !== undefined) return known;
    const history = (await answered(this.docker.getImage(id).history(), 'prepare')) as HistoryEntry[];
    const layers = sizedLayers(history, RootFS.Layers ?? []);
    this.layers.set(id, layers);
    return layers;
  }
}

/** An engine that does not keep the time gives the year 1. */
function lastUsed({ Metadata, Created }: Inspected): number {
  const tagged = Date.parse(Metadata?.LastTagTime ?? '');
  return tagged > 0 ? tagged : Date.parse(Created);
}
