import type { JsMsg } from '@nats-io/jetstream';
import { type WorkKey, WorkMessage } from '@assay/contracts';
import { jsonOf } from '../nats/json-of';
import type { NatsLink } from '../nats/nats-link';
import { traceparentOf } from '../nats/trace-headers';

/**
 * A delivered work message and the few verbs a worker may send for it. The server obeys verbs of a former holder as well
 * (measured), so this is where they are held back: none after `silence` or a final verb, none while disconnected (it
 * would be sent after the reconnect), and none once the ack deadline has surely passed.
 */
export class WakeUp {
  readonly traceparent: string | null;
  private freshUntil: number;
  private over = false;

  private constructor(
    readonly key: WorkKey,
    private readonly message: JsMsg,
    private readonly link: NatsLink,
    private readonly leaseMs: number,
  ) {
    this.traceparent = traceparentOf(message.headers);
    this.freshUntil = performance.now() + leaseMs;
  }

  /** Null for a message that is none of ours: it names no work. */
  static of(message: JsMsg, link: NatsLink, leaseMs: number): WakeUp | null {
    const body = WorkMessage.safeParse(jsonOf(message));
    return body.success ? new WakeUp(body.data.key, message, link, leaseMs) : null;
  }

  /** Nothing more is to be done for it. */
  ack(): void {
    this.end(() => {
      this.message.ack();
    });
  }

  /** Somebody shall get it after `delayMs` milliseconds; 0 is at once. */
  giveBack(delayMs: number): void {
    this.end(() => {
      this.message.nak(delayMs);
    });
  }

  /** The coordinator has just said that the work is ours: the ack deadline begins anew. */
  confirmed(): void {
    this.freshUntil = performance.now() + this.leaseMs;
    this.inProgress();
  }

  /** In progress: moves the ack deadline, unless it has passed. */
  inProgress(): void {
    if (!this.maySpeak()) return;
    this.message.working();
    this.freshUntil = performance.now() + this.leaseMs;
  }

  /** The work is another's: not one verb more. */
  silence(): void {
    this.over = true;
  }

  private end(send: () => void): void {
    if (this.maySpeak()) send();
    this.over = true;
  }

  private maySpeak(): boolean {
    return !this.over && this.link.connected && performance.now() < this.freshUntil;
  }
}
