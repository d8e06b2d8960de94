import { parseYamlFile } from '@assay/checked-files';
import { InstanceId } from '@assay/contracts';
import { TaskError } from '@assay/failures';
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { IMAGE_DIGEST } from './image-reference';

const Digests = z.record(
  InstanceId,
  z.string().regex(IMAGE_DIGEST, 'expected sha256: and 64 lower-case hexadecimal digits'),
);

/**
 * The file that pins images: a map of instance ids to registry digests, as YAML or JSON.
 * @throws TaskError `digests_invalid` with every problem at once, each with line and column
 */
export async function readImageDigests(file: string): Promise<ReadonlyMap<string, string>> {
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new TaskError(`cannot read the image digests of ${file}: ${(cause as Error).message}`, {
      code: 'digests_invalid',
      phase: 'dispatch',
      details: { file },
      cause,
    });
  });
  const digests = parseYamlFile({
    code: 'digests_invalid',
    phase: 'dispatch',
    file,
    wanted: 'a map of image digests',
    format: 'YAML or JSON',
    text,
    schema: Digests,
  });
  return new Map(Object.entries(digests));
}
