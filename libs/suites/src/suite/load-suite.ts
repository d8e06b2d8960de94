import { parseYamlFile } from '@assay/checked-files';
import { assertNever, type Digest } from '@assay/contracts';
import { TaskError } from '@assay/failures';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { locate } from './data-file';
import { SuiteFile } from './suite.schema';

/** A checked suite file. The paths of its source are absolute: relative ones are looked up beside the file. */
export interface Suite extends SuiteFile {
  readonly file: string;
  /** sha256 of the file's bytes. */
  readonly digest: Digest;
}

/**
 * Reads and checks a suite file, not yet its tasks (`openSource` does).
 * @param dataDir what `${ASSAY_DATA_DIR}` stands for in its paths; null: the deployment has no folder of data
 * @throws TaskError `suite_invalid` with every problem at once, each with line:column, field, expectation and value
 */
export async function loadSuite(file: string, dataDir: string | null = null): Promise<Suite> {
  const bytes = await readFile(file).catch((cause: unknown) => {
    throw new TaskError(`cannot read the suite file ${file}: ${String((cause as { message?: unknown }).message)}`, {
      code: 'suite_invalid',
      phase: 'dispatch',
      details: { file },
      cause,
    });
  });
  const definition = parseSuite(bytes.toString('utf8'), file);
  return {
    ...definition,
    source: located(definition.source, (path) => locate(path, dirname(file), dataDir)),
    file,
    digest: createHash('sha256').update(bytes).digest('hex') as Digest,
  };
}

function located(source: SuiteFile['source'], at: (path: string) => string): SuiteFile['source'] {
  switch (source.kind) {
    case 'harbor':
      return { ...source, path: at(source.path) };
    case 'swebench': {
      const { digests } = source;
      return { ...source, file: at(source.file), ...(digests === undefined ? {} : { digests: at(digests) }) };
    }
    case 'terminal-bench':
      return { ...source, file: at(source.file) };
    default:
      return assertNever(source);
  }
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
