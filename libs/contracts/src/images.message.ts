import { z } from 'zod';
import { WorkerId } from './ids';
import { ImageSource, ManifestInstance } from './manifest.schema';

/** So many images may be asked for ahead. */
export const MOST_NEXT_IMAGES = 100;

/** Which images open runs want: for a worker's image budget, and for having the next ones ready early. */
export const ImagesNeededRequest = z.strictObject({
  worker: WorkerId,
  /** How many of the images that come next are told with what they are made from; 0: none. */
  next: z.int().min(0).max(MOST_NEXT_IMAGES),
});
export type ImagesNeededRequest = z.infer<typeof ImagesNeededRequest>;

/** An image of a trial that is open and that nobody holds, with the task that a build takes its context from. */
export const NextImage = ManifestInstance.pick({ id: true, source: true, bundle: true, image: true });
export type NextImage = z.infer<typeof NextImage>;

export const ImagesNeededReply = z.strictObject({
  /** Images of all instances that are not terminal, each once: first those in work, then by when they are due. */
  needed: z.array(ImageSource),
  /** False: there are more than one message holds, so what is not named may be needed as well. */
  complete: z.boolean(),
  /** The images of the trials that the asking worker may be given next, each once, the soonest due first. */
  next: z.array(NextImage),
});
export type ImagesNeededReply = z.infer<typeof ImagesNeededReply>;
