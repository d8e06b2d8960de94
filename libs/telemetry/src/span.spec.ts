import { setTimeout as pause } from 'node:timers/promises';
import { currentTraceparent, inSpan, traceIdOf } from './index';

const OUTSIDE = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const traceOf = (options: Parameters<typeof inSpan>[1]) =>
  inSpan('s', options, (span) => Promise.resolve(span.traceId));

test('a span with a parent belongs to the trace of its parent', async () => {
  expect(await traceOf({ parent: OUTSIDE })).toBe('0af7651916cd43dd8448eb211c80319c');
});

test('a parent outranks the current span', async () => {
  await inSpan('outer', { root: true }, async ({ traceId }) => {
    expect(await traceOf({ parent: OUTSIDE })).not.toBe(traceId);
    expect(await traceOf({})).toBe(traceId);
    expect(await traceOf({ parent: null })).toBe(traceId);
  });
});

test('a root span begins a new trace, even inside another or with a parent at hand', async () => {
  await inSpan('outer', { root: true }, async ({ traceId }) => {
    const fresh = await traceOf({ root: true, parent: OUTSIDE });
    expect([traceId, traceIdOf(OUTSIDE)]).not.toContain(fresh);
  });
});

test.each(['nonsense', '', `00-${'0'.repeat(32)}-b7ad6b7169203331-01`, `00-${'a'.repeat(32)}-${'0'.repeat(16)}-01`])(
  'a malformed parent %j is as none',
  async (parent) => {
    await inSpan('outer', { root: true }, async ({ traceId }) => {
      expect(await traceOf({ parent, links: [parent] })).toBe(traceId);
    });
  },
);

test('what was not sampled stays so', async () => {
  const text = await inSpan('s', { parent: OUTSIDE.replace(/01$/, '00') }, (span) => Promise.resolve(span.traceparent));
  expect(text).toMatch(/-00$/);
});

test('the current traceparent is that of the innermost span, over awaits, and null outside', async () => {
  expect(currentTraceparent()).toBeNull();
  await inSpan('outer', { root: true }, async (outer) => {
    await pause(1);
    expect(currentTraceparent()).toBe(outer.traceparent);
    await inSpan('inner', {}, async (inner) => {
      await Promise.resolve();
      expect(currentTraceparent()).toBe(inner.traceparent);
    });
    expect(currentTraceparent()).toBe(outer.traceparent);
  });
  expect(currentTraceparent()).toBeNull();
});

test('spans that run at the same time do not mix', async () => {
  const seen = await Promise.all(
    [1, 2, 3].map(() =>
      inSpan('s', { root: true }, async (span) => {
        await pause(2);
        return currentTraceparent() === span.traceparent;
      }),
    ),
  );
  expect(seen).toEqual([true, true, true]);
});

test('what the work throws comes out as it was, be it an Error or not', async () => {
  const thrown = { odd: true };
  await expect(inSpan('s', {}, () => Promise.reject(thrown as unknown as Error))).rejects.toBe(thrown);
});

test('an unreadable traceparent has no trace id', () => {
  expect(traceIdOf(OUTSIDE)).toBe('0af7651916cd43dd8448eb211c80319c');
  expect(traceIdOf('00-xyz')).toBe('');
});
