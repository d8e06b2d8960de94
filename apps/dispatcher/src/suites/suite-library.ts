import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { InfraError, TaskError } from '@assay/failures';
import { loadSuite, type KnownAgent, type Suite } from '@assay/suites';

const SUITE_FILE = /^([A-Za-z0-9][A-Za-z0-9._-]{0,99})\.yaml$/;

/** The names of the suites among the entries of a folder, sorted. */
export function suiteNamesOf(entries: readonly Dirent[]): string[] {
  return entries.flatMap((entry) => (entry.isDirectory() ? [] : (SUITE_FILE.exec(entry.name)?.[1] ?? []))).sort();
}

/** The suites and agents that a submission may name. Files are read anew each time, so a new one needs no restart. */
export class SuiteLibrary {
  /**
   * @param dir folder of files `<name>.yaml`
   * @param dataDir folder of the data sets that suites name; null: this deployment has none
   */
  constructor(
    private readonly dir: string,
    readonly agents: readonly KnownAgent[],
    private readonly dataDir: string | null = null,
  ) {}

  /** Names of all suites, sorted. @throws InfraError `suites_unreadable` */
  async names(): Promise<string[]> {
    const entries = await readdir(this.dir, { withFileTypes: true }).catch((cause: unknown) => {
      throw new InfraError(`cannot read the folder of suites ${this.dir} (ASSAY_SUITES_DIR)`, {
        code: 'suites_unreadable',
        phase: 'dispatch',
        details: { dir: this.dir },
        cause,
      });
    });
    return suiteNamesOf(entries);
  }

  /**
   * The suite of this name.
   * @throws TaskError `suite_unknown` naming those there are; `suite_invalid` with every problem of its file
   */
  async load(name: string): Promise<Suite> {
    const names = await this.names();
    if (!names.includes(name)) {
      throw new TaskError(`Unknown suite: ${name} (known: ${names.join(', ')})`, {
        code: 'suite_unknown',
        phase: 'dispatch',
        details: { name, known: names },
      });
    }
    const suite = await loadSuite(join(this.dir, `${name}.yaml`), this.dataDir);
    if (suite.name === name) return suite;
    throw new TaskError(`${name}.yaml names its suite ${suite.name}: the file must be called ${suite.name}.yaml`, {
      code: 'suite_invalid',
      phase: 'dispatch',
      details: { file: suite.file, name: suite.name },
    });
  }
}
