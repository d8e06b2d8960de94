import { HttpStatus } from '@nestjs/common';
import type { RunRow } from '@assay/persistence';
import { Refusal } from '@assay/service-kit';

/** 409: the key belongs to a run that was handed in with another body. */
export function keyTaken(key: string, run: RunRow): Refusal {
  const expected = `expected the body that ${run.id} was submitted with, or another key`;
  return new Refusal(HttpStatus.CONFLICT, `the idempotency key belongs to ${run.id}, which has another body`, [
    { field: 'Idempotency-Key', value: key, expected },
  ]);
}
