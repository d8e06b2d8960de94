import type { NatsLink } from '../nats/nats-link';

export interface SeenVerb {
  /** Where it was sent: whoever publishes a verb there is obeyed. */
  readonly subject: string;
  /** `+ACK`, `-NAK`, `+WPI`, `+TERM`. */
  readonly verb: string;
  readonly consumer: string;
  /** Which delivery of the message it is about. */
  readonly delivery: number;
  readonly sequence: number;
  /** Delay of a nak in milliseconds, 0 if none. */
  readonly delayMs: number;
  readonly at: number;
}

/** Sees every verb that anybody sends to the server, by listening to the subjects of acknowledgements. */
export class VerbSpy {
  readonly seen: SeenVerb[] = [];

  constructor(link: NatsLink) {
    link.connection.subscribe('$JS.ACK.>', {
      callback: (_error, message) => {
        // $JS.ACK.<stream>.<consumer>.<delivery>.<stream sequence>.…, with two more tokens in front in its second form.
        const tokens = message.subject.split('.').slice(2);
        const [, consumer = '', delivery, sequence] = tokens.length > 7 ? tokens.slice(2) : tokens;
        const [verb = '', options] = message.string().split(' ');
        const delay = options === undefined ? 0 : (JSON.parse(options) as { delay?: number }).delay;
        this.seen.push({
          subject: message.subject,
          verb,
          consumer,
          delivery: Number(delivery),
          sequence: Number(sequence),
          delayMs: (delay ?? 0) / 1e6,
          at: performance.now(),
        });
      },
    });
  }

  of(verb: string): SeenVerb[] {
    return this.seen.filter((seen) => seen.verb === verb);
  }
}
