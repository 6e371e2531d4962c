import type { ValueType } from './definitions.ts';

/** What a model costs for a million tokens. */
export interface Price {
  /** The price of prompts. */
  readonly input: number;
  /** The price of answers. */
  readonly output: number;
  /** The price of the tokens of a prompt that came from the service's cache; that of prompts if undefined. */
  readonly cached: number | undefined;
  /** An ISO 4217 code. */
  readonly currency: string;
}

const pricePattern =
  /^\s*(?<input>\d{1,9}(?:\.\d{1,9})?)\s*\/\s*(?<output>\d{1,9}(?:\.\d{1,9})?)(?:\s*\/\s*(?<cached>\d{1,9}(?:\.\d{1,9})?))?(?:\s+(?<currency>[A-Za-z]{3}))?\s*$/;

/** The price of a model: `0.5/1.5`, `0.5/1.5 EUR` or `0.5/1.5/0.05`. */
export const modelPrice: ValueType<Price> = {
  name: 'input/output',
  expected:
    'the prices of a million tokens of prompts and of answers, such as 0.5/1.5 or 0.5/1.5 EUR, and of cached ones, 0.5/1.5/0.05',
  parse(text) {
    const { input, output, cached, currency = 'USD' } = pricePattern.exec(text)?.groups ?? {};
    if (input === undefined) return undefined;
    return {
      input: Number(input),
      output: Number(output),
      cached: cached === undefined ? undefined : Number(cached),
      currency: currency.toUpperCase(),
    };
  },
  store: ({ input, output, cached, currency }) =>
    `${input}/${output}${cached === undefined ? '' : `/${cached}`} ${currency}`,
};

/** Prices by model id. */
export type PriceTable = ReadonlyMap<string, Price>;

const million = 1_000_000;

/** The tokens of a request. */
export interface TokenCounts {
  readonly prompt: number;
  readonly answer: number;
  /** The part of the prompt that came from the service's cache. */
  readonly cached?: number | undefined;
}

/** Computes the cost of a request, in the currency of the price. */
export function costOf(price: Price, { prompt, answer, cached = 0 }: TokenCounts): number {
  const { input, output } = price;
  const read = input * (prompt - cached) + (price.cached ?? input) * cached;
  return (read + output * answer) / million;
}
