import { beyondEngine, type EngineSize } from '@assay/contracts';
import { ExitError } from '../output';

/** What the sandboxes of a suite need of an engine, by the table of the suite file that says so. */
export type EngineNeeds = Readonly<Record<'limits' | 'grader', EngineSize>>;

/**
 * The pool of this machine has one engine: what that cannot do would fail, try after try, as our own fault.
 * @throws ExitError that names the field, the value and what the engine has
 */
export function requireEngineFor(needs: EngineNeeds, engine: EngineSize): void {
  for (const table of ['limits', 'grader'] as const) {
    const beyond = beyondEngine(needs[table], engine);
    if (beyond === null) continue;
    const { field, wanted, most } = beyond;
    throw new ExitError(1, `${table}.${field}: expected at most ${most}, what the Docker engine has, got ${wanted}`);
  }
}
