import { expectFresh } from '@assay/testing';
import { FLOW, messagesMarkdown } from '@assay/contracts';

test('docs/messages.md says what the schemas say', () => {
  expectFresh('docs/messages.md', messagesMarkdown());
});

test('whatever a stage emits, some stage consumes', () => {
  const consumed = new Set(FLOW.flatMap(({ consumes }) => consumes));
  const emitted = FLOW.flatMap(({ emits }) => emits);
  expect(emitted.filter((message) => !consumed.has(message))).toEqual([]);
});

test('whatever is consumed beside HTTP, some stage emits', () => {
  const emitted = new Set(FLOW.flatMap(({ emits }) => emits));
  const consumed = FLOW.flatMap(({ consumes }) => consumes).filter((message) => !message.startsWith('http:'));
  expect(consumed.filter((message) => !emitted.has(message))).toEqual([]);
});
