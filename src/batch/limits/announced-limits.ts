/** What a service reports about one of its limits. */
export interface AnnouncedLimit {
  readonly limit: number | undefined;
  readonly remaining: number;
}

export interface AnnouncedLimits {
  readonly requests: AnnouncedLimit | undefined;
  readonly tokens: AnnouncedLimit | undefined;
}

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

interface HeaderNames {
  readonly limit: string;
  readonly remaining: string;
}

const named = (prefix: string, suffix: string): HeaderNames => ({
  limit: `${prefix}limit${suffix}`,
  remaining: `${prefix}remaining${suffix}`,
});

const anthropic = (dimension: string): HeaderNames => ({
  limit: `anthropic-ratelimit-${dimension}-limit`,
  remaining: `anthropic-ratelimit-${dimension}-remaining`,
});

/** OpenAI, Azure, Groq, vLLM and LiteLLM; Anthropic; Mistral; then the names without a dimension. */
const requestNames: readonly HeaderNames[] = [
  named('x-ratelimit-', '-requests'),
  anthropic('requests'),
  named('x-ratelimit-', '-req-minute'),
  named('x-ratelimit-', ''),
  named('ratelimit-', ''),
];

const tokenNames: readonly HeaderNames[] = [
  named('x-ratelimit-', '-tokens'),
  anthropic('tokens'),
  named('x-ratelimit-', '-tokens-minute'),
];

const textOf = (headers: Headers, name: string): string | undefined => {
  const value = headers[name];
  return typeof value === 'string' ? value : value?.[0];
};

function numberOf(text: string | undefined): number | undefined {
  const trimmed = text?.trim() ?? '';
  return /^\d+(?:\.\d+)?$/.test(trimmed) ? Number(trimmed) : undefined;
}

function announcedBy(headers: Headers, all: readonly HeaderNames[]): AnnouncedLimit | undefined {
  for (const names of all) {
    const remaining = numberOf(textOf(headers, names.remaining));
    if (remaining !== undefined)
      return { limit: numberOf(textOf(headers, names.limit)), remaining };
  }
  return undefined;
}

/** `RateLimit: "default";r=50;t=30`, as in the draft for standard headers. */
function structured(headers: Headers): AnnouncedLimit | undefined {
  const remaining = /;\s*r=(\d+)/.exec(textOf(headers, 'ratelimit') ?? '')?.[1];
  return remaining === undefined ? undefined : { limit: undefined, remaining: Number(remaining) };
}

/**
 * The limits in the headers of a response. When they are reset is not read: services mean different things by it.
 *
 * @param headers with names in lower case
 * @returns undefined if no header can report a limit
 */
export function announcedLimits(headers: Headers): AnnouncedLimits | undefined {
  if (!Object.keys(headers).some((name) => name.includes('ratelimit'))) return undefined;
  return {
    requests: announcedBy(headers, requestNames) ?? structured(headers),
    tokens: announcedBy(headers, tokenNames),
  };
}
