import { UsageError } from '../output';
import { modelSettings } from './model-settings';

const all = { OPENAI_BASE_URL: 'https://models.example/v1', OPENAI_API_KEY: 'sk-canary', OPENAI_MODEL: 'm' };
const refusal = (env: Record<string, string>): string => {
  try {
    modelSettings(env);
  } catch (error) {
    if (error instanceof UsageError) return error.message;
  }
  throw new Error('expected a UsageError');
};

test('all three variables are a model, none is the stand-in; an empty one counts as absent', () => {
  expect(modelSettings(all)).toEqual({ url: 'https://models.example/v1', key: 'sk-canary', model: 'm' });
  expect(modelSettings({})).toBeNull();
  expect(modelSettings({ OPENAI_BASE_URL: '', OPENAI_API_KEY: '', OPENAI_MODEL: '' })).toBeNull();
});

test.each([
  [['OPENAI_API_KEY'], 'OPENAI_API_KEY is set, OPENAI_BASE_URL and OPENAI_MODEL are missing'],
  [['OPENAI_BASE_URL', 'OPENAI_MODEL'], 'OPENAI_BASE_URL and OPENAI_MODEL are set, OPENAI_API_KEY is missing'],
])('%j alone is refused, naming what is set and what is missing', (names, sentence) => {
  const env = Object.fromEntries(Object.entries(all).filter(([name]) => names.includes(name)));
  expect(refusal(env)).toBe(`${sentence}: set all three for a real model, or none for the stand-in`);
  expect(refusal({ ...env, ...blanks(names) })).toBe(refusal(env));
});

test('an address that is none is refused with its value, a key that no header takes without it', () => {
  expect(refusal({ ...all, OPENAI_BASE_URL: 'localhost:1234' })).toBe(
    'OPENAI_BASE_URL: expected a URL such as https://host/v1, got "localhost:1234"',
  );
  const message = refusal({ ...all, OPENAI_API_KEY: 'sk-canary\nsk-canary' });
  expect(message).toMatch(/^OPENAI_API_KEY: expected printable ASCII characters without spaces/);
  expect(message).not.toContain('canary');
});

function blanks(but: readonly string[]): Record<string, string> {
  return Object.fromEntries(Object.keys(all).flatMap((name) => (but.includes(name) ? [] : [[name, '']])));
}
