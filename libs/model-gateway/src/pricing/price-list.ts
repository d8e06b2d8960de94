import { readFile } from 'node:fs/promises';
import { InfraError } from '@assay/failures';
import { parse } from 'yaml';
import { z } from 'zod';
import type { Tokens } from '../metering/reading';

const usdPerMillion = z.number().nonnegative().max(1_000_000);

/** What a million tokens of a model cost, in USD. The names of the price file's fields. */
const ModelPrice = z.strictObject({
  /** The model's name as requests say it; `*` stands for any characters. The first that fits counts. */
  model: z.string().min(1),
  prompt: usdPerMillion,
  completion: usdPerMillion,
  /** Prompt tokens read from the provider's cache. Absent: as `prompt`. */
  cached: usdPerMillion.optional(),
  /** Prompt tokens written to the provider's cache. Absent: as `prompt`. */
  cacheWrite: usdPerMillion.optional(),
});

const PriceFile = z.strictObject({ models: z.array(ModelPrice) });
export type ModelPrice = z.infer<typeof ModelPrice>;

/**
 * Money in millionths of a millionth of a dollar: whole numbers, so that a budget is exact at its edge. A price per
 * million tokens with up to six decimals is a whole number of these per token; sums stay exact up to 9,000 USD.
 */
export type PicoUsd = number;

const PICO_PER_TOKEN = 1e6;
export const PICO_PER_USD = 1e12;

/** Prices of models. A model that no pattern fits has no price, which is not a price of nothing. */
export class PriceList {
  private readonly entries: readonly { readonly fits: RegExp; readonly price: ModelPrice }[];

  constructor(prices: readonly ModelPrice[]) {
    this.entries = prices.map((price) => ({ fits: patternOf(price.model), price }));
  }

  /** Null: the price is not known. */
  costOf(model: string, { prompt, completion, cached, cacheWrite }: Tokens): PicoUsd | null {
    const price = this.find(model);
    if (price === null) return null;
    const plain = Math.max(0, prompt - cached - cacheWrite);
    return (
      plain * perToken(price.prompt) +
      cached * perToken(price.cached ?? price.prompt) +
      cacheWrite * perToken(price.cacheWrite ?? price.prompt) +
      completion * perToken(price.completion)
    );
  }

  knows(model: string): boolean {
    return this.find(model) !== null;
  }

  private find(model: string): ModelPrice | null {
    return this.entries.find(({ fits }) => fits.test(model))?.price ?? null;
  }
}

/**
 * Reads a price file, JSON or YAML: `models`, a list of {model, prompt, completion, cached?, cacheWrite?}, USD for a
 * million tokens.
 * @throws InfraError `price_file_invalid` with the file, the field, its value and what was expected
 */
export async function readPriceList(file: string): Promise<PriceList> {
  let content: unknown;
  try {
    content = parse(await readFile(file, 'utf8'));
  } catch (error) {
    throw invalid(
      `${file} cannot be read as YAML or JSON: ${error instanceof Error ? error.message : String(error)}`,
      error,
    );
  }
  const prices = PriceFile.safeParse(content);
  if (prices.success) return new PriceList(prices.data.models);
  const problems = prices.error.issues.map(({ path, message }) => {
    const value = path.reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown> | undefined)?.[key], content);
    return `${path.join('.') || 'the file'} is ${value === undefined ? 'missing' : JSON.stringify(value)}: ${message}`;
  });
  throw invalid(`${file} is no price file: ${problems.join('; ')}`);
}

function perToken(usdPerMillionTokens: number): PicoUsd {
  return Math.round(usdPerMillionTokens * PICO_PER_TOKEN);
}

function patternOf(model: string): RegExp {
  const literal = model.split('*').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${literal.join('.*')}$`, 's');
}

function invalid(message: string, cause?: unknown): InfraError {
  return new InfraError(message, { code: 'price_file_invalid', phase: 'prepare', cause });
}
