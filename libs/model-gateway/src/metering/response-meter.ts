import type { Protocol } from '../wire/routes';
import { JsonFields } from '../json/json-fields';
import { replyError } from './error-in';
import { readChat } from './chat.protocol';
import { readGemini } from './gemini.protocol';
import { readMessage, readMessagesEvent } from './messages.protocol';
import { emptyReading, type Reading } from './reading';
import { readResponse, readResponsesEvent } from './responses.protocol';
import { ServerSentEvents } from './server-sent-events';

/** Reads along while a reply passes, without holding or changing it. */
export interface ResponseMeter {
  readonly reading: Readonly<Reading>;
  feed(chunk: Buffer): void;
  /** The connection ended as it should. */
  end(): void;
}

type Read = (reading: Reading, json: unknown) => void;

const EVENT: Readonly<Record<Protocol, Read>> = {
  chat: readChat,
  responses: readResponsesEvent,
  messages: readMessagesEvent,
  gemini: readGemini,
};
const WHOLE: Readonly<Record<Protocol, Read>> = {
  chat: readChat,
  responses: readResponse,
  messages: readMessage,
  gemini: readGemini,
};

/** A reply that was compressed although `identity` was asked for is passed on, but cannot be read: an estimate. */
export function meterFor(
  protocol: Protocol,
  contentType: string | null,
  contentEncoding: string | null,
): ResponseMeter {
  if (contentEncoding !== null && contentEncoding !== 'identity') return new BlindMeter();
  return /^text\/event-stream\b/i.test(contentType ?? '')
    ? new StreamMeter(EVENT[protocol])
    : new BodyMeter(WHOLE[protocol]);
}

class StreamMeter implements ResponseMeter {
  readonly reading = emptyReading();
  private readonly events = new ServerSentEvents();

  constructor(private readonly read: Read) {}

  feed(chunk: Buffer): void {
    this.take(this.events.feed(chunk));
  }

  end(): void {
    this.take(this.events.end());
  }

  private take(events: readonly string[]): void {
    for (const data of events) {
      if (data === '[DONE]') {
        this.reading.finished = true;
        this.reading.lastWord = true;
      } else this.read(this.reading, parsed(data));
    }
  }
}

/** Bytes of `usage`, `error` and the like. */
const LONGEST = 64 * 1024;
const FIELDS = new Map(
  ['model', 'usage', 'error', 'status', 'modelVersion', 'usageMetadata', 'promptFeedback'].map((name) => [
    name,
    LONGEST,
  ]),
);

class BodyMeter implements ResponseMeter {
  readonly reading = emptyReading();
  private readonly fields = new JsonFields(FIELDS);

  constructor(private readonly read: Read) {}

  feed(chunk: Buffer): void {
    this.fields.feed(chunk);
    this.reading.generated += chunk.length;
    if (this.fields.complete && !this.reading.lastWord) this.whole();
  }

  end(): void {
    if (!this.fields.complete) this.reading.error ??= replyError('the reply is no whole JSON object');
  }

  private whole(): void {
    this.reading.finished = true;
    this.reading.lastWord = true;
    this.read(this.reading, Object.fromEntries([...FIELDS.keys()].map((name) => [name, this.fields.last(name)])));
  }
}

class BlindMeter implements ResponseMeter {
  readonly reading = emptyReading();

  feed(chunk: Buffer): void {
    this.reading.generated += chunk.length;
  }

  end(): void {
    this.reading.finished = true;
  }
}

/** An event that is no JSON says nothing; that the reply was whole, others have to say. */
function parsed(data: string): unknown {
  try {
    return JSON.parse(data) as unknown;
  } catch {
    return undefined;
  }
}
