/** The headers, with names in lower case. */
export type ResponseHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Names of headers: OpenAI, Azure, Groq, vLLM and LiteLLM; Anthropic; Mistral; the names without a dimension. */
const requestNames = [
  'x-ratelimit-remaining-requests',
  'anthropic-ratelimit-requests-remaining',
  'x-ratelimit-remaining-req-minute',
  'x-ratelimit-remaining',
  'ratelimit-remaining',
];
const tokenNames = [
  'x-ratelimit-remaining-tokens',
  'anthropic-ratelimit-tokens-remaining',
  'x-ratelimit-remaining-tokens-minute',
];

const textOf = (value: string | readonly string[] | undefined): string =>
  (typeof value === 'string' ? value : value?.[0]) ?? '';

function numberIn(headers: ResponseHeaders, names: readonly string[]): number | undefined {
  const texts = names.map((name) => textOf(headers[name]).trim());
  const found = texts.find((text) => /^\d+(?:\.\d+)?$/.test(text));
  return found === undefined ? undefined : Number(found);
}

/**
 * The requests and tokens that remain according to the headers of a response. When limits are reset is not read: services
 * mean different things by it.
 */
export function announcedLimits(headers: ResponseHeaders) {
  // `RateLimit: "default";r=50;t=30`, as in the draft for standard headers.
  const rest = /;\s*r=(\d+)/.exec(textOf(headers['ratelimit']))?.[1];
  const standard = rest === undefined ? undefined : Number(rest);
  return {
    requests: numberIn(headers, requestNames) ?? standard,
    tokens: numberIn(headers, tokenNames),
  };
}
