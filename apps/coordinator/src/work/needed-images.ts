import { Injectable } from '@nestjs/common';
import type { ImageSource, ImagesNeededReply, ImagesNeededRequest } from '@assay/contracts';
import { Database, neededImages, nextImages } from '@assay/persistence';
import { withinBytes } from './within-bytes.policy';

/** What one answer may hold: a message of NATS has at most 1 MiB. */
const MOST_IMAGES = 5_000;
const MOST_BYTES = 524_288;

/** Answers which images open runs want. */
@Injectable()
export class NeededImages {
  constructor(private readonly database: Database) {}

  async answer({ worker, next }: ImagesNeededRequest): Promise<ImagesNeededReply> {
    const found = await neededImages(this.database, MOST_IMAGES + 1);
    const needed = withinBytes<ImageSource>(found.slice(0, MOST_IMAGES), MOST_BYTES);
    const complete = needed.length === found.length;
    return { needed, complete, next: await nextImages(this.database, worker, next) };
  }
}
