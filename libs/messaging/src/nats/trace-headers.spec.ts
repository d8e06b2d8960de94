import { headers } from '@nats-io/nats-core';
import { messageHeaders, traceparentOf } from './trace-headers';

const traceparent = `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`;

test('a trace context survives the way through headers, beside others', () => {
  const sent = messageHeaders(traceparent, { 'assay-reply': 'inbox' });
  expect(traceparentOf(sent)).toBe(traceparent);
  expect(sent.get('assay-reply')).toBe('inbox');
});

test('no context is no header', () => {
  expect(messageHeaders(null).has('traceparent')).toBe(false);
});

test.each([undefined, messageHeaders(null), malformed('x'), malformed(`01-${'1'.repeat(32)}-${'2'.repeat(16)}-01`)])(
  'absent or malformed is none',
  (received) => {
    expect(traceparentOf(received)).toBeNull();
  },
);

function malformed(value: string) {
  const received = headers();
  received.set('traceparent', value);
  return received;
}
