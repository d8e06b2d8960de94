import { withTempDir } from '@assay/testing';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PICO_PER_USD, PriceList, readPriceList } from './price-list';

const tokens = { prompt: 1000, completion: 100, cached: 600, cacheWrite: 50 };

test('each kind of token has its price', () => {
  const prices = new PriceList([{ model: 'm', prompt: 3, cached: 0.3, cacheWrite: 3.75, completion: 15 }]);
  const usd = (350 * 3 + 600 * 0.3 + 50 * 3.75 + 100 * 15) / 1e6;
  expect((prices.costOf('m', tokens) ?? 0) / PICO_PER_USD).toBeCloseTo(usd, 12);
});

test('cached tokens cost as others do where no price of their own stands', () => {
  const prices = new PriceList([{ model: 'm', prompt: 2, completion: 0 }]);
  expect(prices.costOf('m', tokens)).toBe(2000 * 1e6);
});

test('a model without a price costs an unknown amount, not nothing; a free one costs nothing', () => {
  const prices = new PriceList([{ model: 'free', prompt: 0, completion: 0 }]);
  expect(prices.costOf('other', tokens)).toBeNull();
  expect(prices.costOf('free', tokens)).toBe(0);
  expect([prices.knows('free'), prices.knows('other')]).toEqual([true, false]);
});

test('a star stands for any characters, the rest is letter for letter, and the first that fits counts', () => {
  const prices = new PriceList([
    { model: 'qwen3-coder-plus', prompt: 1, completion: 0 },
    { model: 'qwen3*', prompt: 2, completion: 0 },
    { model: 'a.b', prompt: 3, completion: 0 },
    { model: '*/m', prompt: 4, completion: 0 },
  ]);
  const price = (model: string): number | null =>
    prices.costOf(model, { prompt: 1, completion: 0, cached: 0, cacheWrite: 0 });
  expect(['qwen3-coder-plus', 'qwen3-max', 'qwen2', 'a.b', 'axb', 'org/m', 'm'].map(price)).toEqual([
    1e6,
    2e6,
    null,
    3e6,
    null,
    4e6,
    null,
  ]);
});

test('sums of prices that no binary fraction holds are exact: 0.1 ten times is 1', () => {
  const prices = new PriceList([{ model: 'm', prompt: 0.1, completion: 0 }]);
  const one = prices.costOf('m', { prompt: 1_000_000, completion: 0, cached: 0, cacheWrite: 0 }) ?? 0;
  expect(Array.from({ length: 10 }, () => one).reduce((sum, more) => sum + more, 0)).toBe(PICO_PER_USD);
});

test('more cached than prompt tokens is no refund', () => {
  const prices = new PriceList([{ model: 'm', prompt: 10, cached: 1, completion: 0 }]);
  expect(prices.costOf('m', { prompt: 5, completion: 0, cached: 9, cacheWrite: 0 })).toBe(9e6);
});

describe('a price file', () => {
  const reading = (name: string, text: string): Promise<PriceList> =>
    withTempDir(async (dir) => {
      await writeFile(join(dir, name), text);
      return readPriceList(join(dir, name));
    });

  test.each([
    ['prices.yaml', 'models:\n  - {model: "m*", prompt: 1, completion: 2}\n'],
    ['prices.json', '{"models":[{"model":"m*","prompt":1,"completion":2}]}'],
  ])('may be %s', async (name, text) => {
    expect((await reading(name, text)).knows('m-1')).toBe(true);
  });

  test.each([
    ['models: [{model: m, prompt: -1, completion: 2}]', 'models.0.prompt is -1: '],
    ['models: [{model: m, prompt: cheap, completion: 2}]', 'models.0.prompt is "cheap": '],
    ['models: [{model: m, completion: 2}]', 'models.0.prompt is missing: '],
    ['models: [{model: m, prompt: 1, completion: 2, caches: 1}]', 'Unrecognized key: "caches"'],
    ['prices: []', 'models is missing: '],
    ['- 1', 'the file is [1]: '],
    ['models: [', 'cannot be read as YAML or JSON'],
  ])('that is wrong is told by field and value: %s', async (text, problem) => {
    await expect(reading('p.yaml', text)).rejects.toMatchObject({
      code: 'price_file_invalid',
      message: expect.stringContaining(problem) as string,
    });
  });

  test('that is not there is told by name', async () => {
    await expect(readPriceList('/nowhere/p.yaml')).rejects.toThrow('/nowhere/p.yaml cannot be read');
  });
});
