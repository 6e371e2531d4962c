/** What a service reports about one of its limits. */
export interface AnnouncedLimit {
  readonly limit: number | undefined;
  readonly remaining: number;
}

/** The headers, with names in lower case. */
export type ResponseHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Names of headers, with `limit` or `remaining` in the place of the star: OpenAI, Azure, Groq, vLLM and LiteLLM;
 * Anthropic; Mistral; then the names without a dimension.
 */
const requestNames = [
  'x-ratelimit-*-requests',
  'anthropic-ratelimit-requests-*',
  'x-ratelimit-*-req-minute',
  'x-ratelimit-*',
  'ratelimit-*',
];
const tokenNames = [
  'x-ratelimit-*-tokens',
  'anthropic-ratelimit-tokens-*',
  'x-ratelimit-*-tokens-minute',
];

const textOf = (value: string | readonly string[] | undefined): string =>
  (typeof value === 'string' ? value : value?.[0]) ?? '';

function numberOf(value: string | readonly string[] | undefined): number | undefined {
  const text = textOf(value).trim();
  return /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : undefined;
}

function announcedBy(headers: ResponseHeaders, names: readonly string[]) {
  for (const name of names) {
    const remaining = numberOf(headers[name.replace('*', 'remaining')]);
    const limit = numberOf(headers[name.replace('*', 'limit')]);
    if (remaining !== undefined) return { limit, remaining };
  }
  return undefined;
}

/**
 * The limits in the headers of a response; undefined if no header can report one. When they are reset is not read:
 * services mean different things by it.
 */
export function announcedLimits(headers: ResponseHeaders) {
  if (!Object.keys(headers).some((name) => name.includes('ratelimit'))) return undefined;
  // `RateLimit: "default";r=50;t=30`, as in the draft for standard headers.
  const rest = /;\s*r=(\d+)/.exec(textOf(headers['ratelimit']))?.[1];
  const standard = rest === undefined ? undefined : { limit: undefined, remaining: Number(rest) };
  return {
    requests: announcedBy(headers, requestNames) ?? standard,
    tokens: announcedBy(headers, tokenNames),
  };
}
