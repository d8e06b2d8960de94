import { InfraError } from '@assay/failures';
import type { WorkContext } from '@assay/messaging';
import type { PreparedImage, SandboxProvider } from '@assay/sandbox';

/**
 * The image that the attempt's trial ran in, by its id; without a trial the instance's own image.
 * @throws InfraError `image_changed` when that image is gone and making it again gives another one
 */
export async function frozenImage(
  provider: SandboxProvider,
  { spec, signal }: WorkContext<'grade'>,
  contextDir: string | null,
): Promise<PreparedImage> {
  const image = await provider.prepareImage(spec.instance.image, contextDir, signal);
  if (spec.imageId === null || spec.imageId === image.imageId) return image;
  try {
    // Its name may have moved on while the image itself is still here.
    return await provider.prepareImage({ kind: 'reference', reference: spec.imageId }, contextDir, signal);
  } catch (cause) {
    throw new InfraError('the image of the trial is gone, and making it again gives another one', {
      code: 'image_changed',
      phase: 'prepare',
      details: { trial: spec.imageId, now: image.imageId },
      cause,
    });
  }
}
