import { z } from 'zod';

const counter = z.int().nonnegative();
const millis = z.number().nonnegative();

/** A body as recorded: text as it is, or base64 where it was no UTF-8. `omitted`: the record had reached its bound. */
const body = {
  /** Bytes that passed, which may be more than were kept. */
  bytes: counter,
  encoding: z.enum(['utf8', 'base64', 'omitted']),
  truncated: z.boolean(),
  body: z.string(),
};

const Protocol = z.enum(['chat', 'responses', 'messages', 'gemini']);

/** How an exchange ended. `client_error`: the provider refused the request itself (4xx). */
export const ExchangeEnd = z.enum(['completed', 'upstream_failure', 'client_abort', 'client_error']);
export type ExchangeEnd = z.infer<typeof ExchangeEnd>;

/** One try of an exchange. */
export const RecordedTry = z.strictObject({
  /** Null: there was no answer. */
  status: z.int().nullable(),
  reason: z.string().nullable(),
  /** Since the exchange began. */
  atMs: millis,
});
export type RecordedTry = z.infer<typeof RecordedTry>;

/** A line of the record: a request is written when it is known, its answer when it has ended. */
export const RecordLine = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('begin'), version: z.literal(1), trial: z.string(), at: z.iso.datetime() }),
  z.strictObject({
    type: z.literal('request'),
    id: counter,
    at: z.iso.datetime(),
    protocol: Protocol,
    path: z.string(),
    model: z.string().nullable(),
    headers: z.record(z.string(), z.string()),
    ...body,
  }),
  z.strictObject({
    type: z.literal('response'),
    id: counter,
    at: z.iso.datetime(),
    end: ExchangeEnd,
    /** Null: the client was given no answer. */
    status: z.int().nullable(),
    headers: z.record(z.string(), z.string()),
    /** Why it is an upstream failure. */
    reason: z.string().nullable(),
    tries: z.array(RecordedTry),
    firstTokenMs: millis.nullable(),
    durationMs: millis,
    tokens: z.strictObject({ prompt: counter, completion: counter, cached: counter, cacheWrite: counter }),
    estimated: z.boolean(),
    costUsd: z.number().nonnegative().nullable(),
    ...body,
  }),
  z.strictObject({
    type: z.literal('refused'),
    at: z.iso.datetime(),
    path: z.string(),
    status: z.int(),
    code: z.string(),
  }),
  z.strictObject({ type: z.literal('end'), at: z.iso.datetime() }),
]);
export type RecordLine = z.infer<typeof RecordLine>;

export type RecordedRequest = Extract<RecordLine, { type: 'request' }>;
export type RecordedResponse = Extract<RecordLine, { type: 'response' }>;
export type RecordedRefusal = Extract<RecordLine, { type: 'refused' }>;
