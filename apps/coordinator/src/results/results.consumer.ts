import { Controller } from '@nestjs/common';
import type { ResultMessage } from '@assay/contracts';
import { done, StreamConsumer, type Verdict } from '@assay/messaging';
import { ResultRecorder } from './result-recorder';

/** Takes results from their stream; the ack and the answer follow the commit. */
@Controller()
export class ResultsConsumer {
  constructor(private readonly recorder: ResultRecorder) {}

  @StreamConsumer('result.*', { concurrency: 8 })
  async handle(message: ResultMessage): Promise<Verdict> {
    const { reply } = await this.recorder.record(message);
    return done(reply);
  }
}
