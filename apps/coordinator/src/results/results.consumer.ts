import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import type { ResultMessage } from '@assay/contracts';
import { done, StreamConsumer, type StreamContext, type Verdict } from '@assay/messaging';
import { ResultRecorder } from './result-recorder';

/** Takes results from their stream; the ack and the answer follow the commit. */
@Controller()
export class ResultsConsumer {
  constructor(private readonly recorder: ResultRecorder) {}

  @StreamConsumer('result.*', { concurrency: 4 })
  async handle(@Payload() message: ResultMessage, @Ctx() { traceparent }: StreamContext): Promise<Verdict> {
    const { reply } = await this.recorder.record(message, traceparent);
    return done(reply);
  }
}
