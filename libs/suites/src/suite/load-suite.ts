import { parseYamlFile } from '@assay/checked-files';
import type { Digest } from '@assay/contracts';
import { TaskError } from '@assay/failures';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { SuiteFile } from './suite.schema';

/** A checked suite file. The paths of its source are absolute: relative ones are looked up beside the file. */
export interface Suite extends SuiteFile {
  readonly file: string;
  /** sha256 of the file's bytes. */
  readonly digest: Digest;
}

/**
 * Reads and checks a suite file, not yet its tasks (`openSource` does).
 * @throws TaskError `suite_invalid` with every problem at once, each with line:column, field, expectation and value
 */
export async function loadSuite(file: string): Promise<Suite> {
  const bytes = await readFile(file).catch((cause: unknown) => {
    throw new TaskError(`cannot read the suite file ${file}: ${String((cause as { message?: unknown }).message)}`, {
      code: 'suite_invalid',
      phase: 'dispatch',
      details: { file },
      cause,
    });
  });
  const definition = parseSuite(bytes.toString('utf8'), file);
  const { source } = definition;
  const located = (path: string) => resolve(dirname(file), path);
  return {
    ...definition,
    source:
      source.kind === 'harbor'
        ? { ...source, path: located(source.path) }
        : {
            ...source,
            file: located(source.file),
            ...(source.digests === undefined ? {} : { digests: located(source.digests) }),
          },
    file,
    digest: createHash('sha256').update(bytes).digest('hex') as Digest,
  };
}

/** The text of a suite file, checked whole. `file` is only named in errors. */
export function parseSuite(text: string, file: string): SuiteFile {
  return parseYamlFile({
    code: 'suite_invalid',
    phase: 'dispatch',
    file,
    wanted: 'a valid suite',
    text,
    schema: SuiteFile,
  });
}
