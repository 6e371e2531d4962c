import { badValue, type ValueOrigin } from './setting-value.ts';

/** What a model costs for a million tokens. */
export type Price = ReturnType<typeof parsePrice>;

const pricePattern =
  /^\s*(?<input>\d{1,9}(?:\.\d{1,9})?)\s*\/\s*(?<output>\d{1,9}(?:\.\d{1,9})?)(?:\s*\/\s*(?<cached>\d{1,9}(?:\.\d{1,9})?))?(?:\s+(?<currency>[A-Za-z]{3}))?\s*$/;

/** Reads the price of a setting such as `0.5/1.5`, `0.5/1.5 EUR` or `0.5/1.5/0.05`. @throws Failure with the origin */
export function parsePrice(raw: unknown, origin: ValueOrigin) {
  const { input, output, cached, currency } =
    (typeof raw === 'string' ? pricePattern.exec(raw)?.groups : undefined) ?? {};
  if (input === undefined || output === undefined) {
    throw badValue(
      origin,
      'the prices of a million tokens of prompts and of answers, such as 0.5/1.5 or 0.5/1.5 EUR, and of cached ones, 0.5/1.5/0.05',
    );
  }
  return {
    /** The price of prompts. */
    input: Number(input),
    /** The price of answers. */
    output: Number(output),
    /** The price of the tokens of a prompt that came from the service's cache; that of prompts if undefined. */
    cached: cached === undefined ? undefined : Number(cached),
    /** An ISO 4217 code. */
    currency: currency?.toUpperCase() ?? 'USD',
  };
}

/** Prices by model id. */
export type PriceTable = ReadonlyMap<string, Price>;

/** Writes a price as in the settings file: `0.5/1.5 USD`. */
export const priceText = ({ input, output, cached, currency }: Price): string =>
  `${input}/${output}${cached === undefined ? '' : `/${cached}`} ${currency}`;

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
