import { HttpStatus, Injectable } from '@nestjs/common';
import { RPC, type CancelReply, type RunId } from '@assay/contracts';
import { InfraError } from '@assay/failures';
import { RpcClient } from '@assay/messaging';
import { Refusal } from '@assay/service-kit';
import { noSuchRun } from './run-reader';

/** Cancels runs, by asking the coordinator: it alone writes a run's state after its creation. */
@Injectable()
export class Cancellations {
  constructor(private readonly coordinator: RpcClient) {}

  /** Cancelling twice is cancelling once. @throws Refusal 404, or 503 when the coordinator does not answer */
  async cancel(runId: RunId): Promise<CancelReply> {
    const reply = await this.coordinator.call(RPC.cancelRun, { runId }).catch((error: unknown) => {
      if (!(error instanceof InfraError)) throw error;
      const message = `the coordinator did not confirm that ${runId} is cancelled (${error.message}): ask again`;
      throw new Refusal(HttpStatus.SERVICE_UNAVAILABLE, message);
    });
    if (reply.answer === 'unknown') return noSuchRun(runId);
    const { answer: _, ...cancelled } = reply;
    return cancelled;
  }
}
