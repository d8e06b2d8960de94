import { type Names, ResultMessage, RunSubmittedMessage } from '@assay/contracts';

/** What a stream consumer may be bound to, its message's schema, and where it is pulled from. */
export const STREAM_PATTERNS = {
  'run.submitted': {
    schema: RunSubmittedMessage,
    subscriptions: ['stream:run.submitted'],
    source: (names: Names) => ({ stream: names.runStream, durable: names.runDurable }),
  },
  'result.*': {
    schema: ResultMessage,
    subscriptions: ['stream:result.trial', 'stream:result.grade', 'stream:result.publication'],
    source: (names: Names) => ({ stream: names.resultStream, durable: names.resultDurable }),
  },
} as const;

export type StreamPattern = keyof typeof STREAM_PATTERNS;

export interface StreamMessages {
  'run.submitted': RunSubmittedMessage;
  'result.*': ResultMessage;
}

/** What a stream handler learns about a message beside its body. */
export interface StreamContext {
  readonly subject: string;
  /** Trace context of the sender. */
  readonly traceparent: string | null;
  /** 1 for the first delivery. A hint only: a crash of the server or a new consumer starts it again. */
  readonly deliveryCount: number;
}
