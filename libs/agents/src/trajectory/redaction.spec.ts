import fc from 'fast-check';
import { redactorOf } from './redaction';

const TOKEN = 'tok/en+"1\\é-canary';

test.each([
  ['as it stands', TOKEN],
  ['inside a word', `x${TOKEN}y`],
  ['in JSON', JSON.stringify({ env: TOKEN })],
  ['in an address', `http://h/?k=${encodeURIComponent(TOKEN)}`],
  ['in base64', Buffer.from(TOKEN).toString('base64')],
  ['in base64 for addresses', Buffer.from(TOKEN).toString('base64url')],
])('a secret is found %s', (_name, text) => {
  const kept = redactorOf([TOKEN]).text(text);
  expect(kept).toContain('[redacted]');
  expect(kept).not.toMatch(/canary|b2tlb|tok/);
});

test('it goes through every string of a value, names of members too, and leaves the rest', () => {
  const at = new Date(0).toISOString();
  expect(redactorOf(['secret-1']).deep({ a: ['x secret-1', 1, null], 'secret-1': { at }, b: true })).toEqual({
    a: ['x [redacted]', 1, null],
    '[redacted]': { at },
    b: true,
  });
});

test('of two secrets of which one begins the other, nothing stays', () => {
  expect(redactorOf(['secret', 'secret-longer']).text('secret-longer secret')).toBe('[redacted] [redacted]');
});

test('an empty or short value redacts nothing', () => {
  expect(redactorOf(['', 'abc']).text('abc')).toBe('abc');
  const value = {};
  expect(redactorOf([]).deep(value)).toBe(value);
});

test('whatever the secret and the text around it, the secret is not in what is kept', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 6 }), fc.string(), fc.string(), (secret, before, after) => {
      fc.pre(!'[redacted]'.includes(secret) && !secret.includes('[redacted]'));
      expect(redactorOf([secret]).text(`${before}\u0000${secret}\u0000${after}`)).not.toContain(
        `\u0000${secret}\u0000`,
      );
    }),
  );
});
