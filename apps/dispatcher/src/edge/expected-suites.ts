import { HttpStatus } from '@nestjs/common';
import { TaskError } from '@assay/failures';
import { Refusal } from '@assay/service-kit';
import type { Suite } from '@assay/suites';
import type { SuiteLibrary } from '../suites/suite-library';
import { requireSelection, type Selection, type SelectionFields } from '../suites/selection';
import { expectedInstances } from './expected-instances';

/** The suites that the policy speaks of. */
export class ExpectedSuites {
  constructor(private readonly library: SuiteLibrary) {}

  /**
   * How many instances a run of this suite will have; null where only freezing can tell.
   * @param fields what the caller's body calls limit and instance
   * @throws Refusal 422 where the suite is not there or broken, or has not what is asked of it: better now than when its turn
   *   has come
   */
  async expected(
    { suite: name, limit, instanceId }: Selection & { readonly suite: string },
    fields?: SelectionFields,
  ): Promise<number | null> {
    const suite = await this.loaded(name);
    await requireSelection(suite, { limit, instanceId }, fields);
    return expectedInstances(suite, { limit, instanceId });
  }

  private async loaded(name: string): Promise<Suite> {
    try {
      return await this.library.load(name);
    } catch (error) {
      if (!(error instanceof TaskError)) throw error;
      const problem = { field: 'suite', value: name, expected: 'expected a suite of this deployment that can be read' };
      throw new Refusal(HttpStatus.UNPROCESSABLE_ENTITY, error.message, [problem]);
    }
  }
}
