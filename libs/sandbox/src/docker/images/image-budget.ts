import type Docker from 'dockerode';
import { answered } from '../bounded';
import { statusOf } from '../engine-errors';
import { imagesToEvict, type Layer, type StoredImage } from './eviction';
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
}

interface HistoryEntry {
  readonly Created: number;
  readonly CreatedBy: string;
  readonly Size: number;
}

export interface BudgetOptions {
  readonly budgetMb: number;
  /** Replaces how long an image must have rested. Milliseconds. */
  readonly restedMs?: number;
}

/** Keeps the images that we built or pulled within their bound on the disk. */
export class ImageBudget {
  private readonly layers = new Map<string, readonly Layer[]>();

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
    const containers = await answered(this.docker.listContainers({ all: true }), 'prepare');
    const inUse = new Set(containers.map(({ ImageID }) => ImageID));
    const names = new Map<string, string[]>();
    const stored: StoredImage[] = [];
    for (const { Id, RepoTags } of await answered(this.docker.listImages(), 'prepare')) {
      const ownNames = (RepoTags ?? []).filter((name) => this.own.isOurs(name));
      if (ownNames.length === 0) continue;
      const found = await this.inspect(Id);
      if (found === null) continue;
      const removable = namesOf(found).filter((name) => !ownNames.includes(name));
      names.set(Id, [...removable, ...ownNames]);
      stored.push({
        id: Id,
        layers: await this.layersOf(Id),
        lastUsed: lastUsed(found),
        needed: inUse.has(Id) || isOthersToo(removable) || ownNames.some((name) => needed?.has(name) === true),
      });
    }
    const { budgetMb, restedMs = needed === null ? RESTED_UNKNOWN_MS : RESTED_MS } = this.options;
    const bounds = { budgetBytes: budgetMb * MEBIBYTE, restedSince: Date.now() - restedMs };
    const gone = imagesToEvict(stored, bounds);
    for (const id of gone) await this.remove(names.get(id) ?? []);
    return gone.length;
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

  /** By what made a layer and when: the engine does not tell which layers of two images are the same one. */
  private async layersOf(id: string): Promise<readonly Layer[]> {
    const known = this.layers.get(id);
    if (known !== undefined) return known;
    const history = (await answered(this.docker.getImage(id).history(), 'prepare')) as HistoryEntry[];
    const layers = history
      .filter(({ Size }) => Size > 0)
      .map(({ Created, CreatedBy, Size }) => ({ key: `${Created} ${Size} ${CreatedBy}`, bytes: Size }));
    this.layers.set(id, layers);
    return layers;
  }
}

/** An engine that does not keep the time gives the year 1. */
function lastUsed({ Metadata, Created }: Inspected): number {
  const tagged = Date.parse(Metadata?.LastTagTime ?? '');
  return tagged > 0 ? tagged : Date.parse(Created);
}
