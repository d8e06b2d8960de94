import { HttpStatus } from '@nestjs/common';
import { TaskError } from '@assay/failures';
import { Refusal } from '@assay/service-kit';
import type { SuiteLibrary } from '../suites/suite-library';
import { type Asked, expectedInstances } from './expected-instances';

/** The suites that the policy speaks of. */
export class ExpectedSuites {
  constructor(private readonly library: SuiteLibrary) {}

  /**
   * How many instances a run of this suite will have; null where only freezing can tell.
   * @throws Refusal 422 where the suite is not there or broken: better now than when its turn has come
   */
  async expected({ suite: name, ...asked }: Asked & { readonly suite: string }): Promise<number | null> {
    try {
      return expectedInstances(await this.library.load(name), asked);
    } catch (error) {
      if (!(error instanceof TaskError)) throw error;
      const problem = { field: 'suite', value: name, expected: 'expected a suite of this deployment that can be read' };
      throw new Refusal(HttpStatus.UNPROCESSABLE_ENTITY, error.message, [problem]);
    }
  }
}
