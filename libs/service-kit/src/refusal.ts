import { HttpException } from '@nestjs/common';
import type { Problem } from '@assay/contracts';

/** A request that is refused, with what is wrong about it; becomes an `ErrorReply`. */
export class Refusal extends HttpException {
  /**
   * @param status HTTP status, 400 to 599
   * @param headers of the answer, e.g. `retry-after`
   */
  constructor(
    status: number,
    message: string,
    readonly problems: readonly Problem[] = [],
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message, status);
  }
}
