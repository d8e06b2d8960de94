import { InstanceId } from '@assay/contracts';
import { TaskError } from '@assay/failures';
import { readFile } from 'node:fs/promises';
import { LineCounter, parseDocument } from 'yaml';
import { z } from 'zod';
import { check, invalidFile, type LocatedProblem } from '../problems/located';
import { placeOf } from '../suite/yaml-places';
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
  const invalid = (problems: LocatedProblem[]) =>
    invalidFile({ code: 'digests_invalid', phase: 'dispatch', file, wanted: 'a map of image digests', problems });
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  if (document.errors.length > 0) {
    throw invalid(
      document.errors.map(({ pos, message }) => {
        const { line, col: column } = lines.linePos(pos[0]);
        const value = text.split('\n')[line - 1]?.trim();
        return { field: '(syntax)', value, expected: `expected YAML or JSON (${message})`, line, column };
      }),
    );
  }
  const checked = check(Digests, document.toJS() as unknown);
  if (checked.ok) return new Map(Object.entries(checked.value));
  throw invalid(
    checked.problems.map(({ path, unknownKey, field, value, expected }) => {
      const place = placeOf(document, lines, path, unknownKey);
      return { field, value, expected, line: place?.line ?? null, column: place?.column ?? null };
    }),
  );
}
