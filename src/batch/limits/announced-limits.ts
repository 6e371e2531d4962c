/** What a service reports about one of its limits. */
export interface AnnouncedLimit {
  readonly limit: number | undefined;
  readonly remaining: number;
  /** Milliseconds until more is allowed; undefined if unknown. */
  readonly reset: number | undefined;
}

export interface AnnouncedLimits {
  readonly requests: AnnouncedLimit | undefined;
  readonly tokens: AnnouncedLimit | undefined;
}

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

interface HeaderNames {
  readonly limit: string;
  readonly remaining: string;
  readonly reset: string;
}

const named = (prefix: string, suffix: string): HeaderNames => ({
  limit: `${prefix}limit${suffix}`,
  remaining: `${prefix}remaining${suffix}`,
  reset: `${prefix}reset${suffix}`,
});

const anthropic = (dimension: string): HeaderNames => ({
  limit: `anthropic-ratelimit-${dimension}-limit`,
  remaining: `anthropic-ratelimit-${dimension}-remaining`,
  reset: `anthropic-ratelimit-${dimension}-reset`,
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

const unitMilliseconds: Readonly<Record<string, number>> = {
  d: 86_400_000,
  h: 3_600_000,
  m: 60_000,
  s: 1000,
  ms: 1,
  us: 0.001,
  µs: 0.001,
  ns: 0.000_001,
};

const durationPart = /(\d+(?:\.\d+)?)(ms|us|µs|ns|[dhms])/g;
const wholeDuration = /^(?:\d+(?:\.\d+)?(?:ms|us|µs|ns|[dhms]))+$/;

/** Larger numbers are times since 1970, in seconds or milliseconds. */
const leastEpochSeconds = 1e9;
const leastEpochMilliseconds = 1e12;

function numberReset(value: number, now: Date): number {
  if (value >= leastEpochMilliseconds) return value - now.getTime();
  if (value >= leastEpochSeconds) return value * 1000 - now.getTime();
  return value * 1000;
}

/** Milliseconds of `6m0s`, `20ms`, `7.66s`, seconds, a time since 1970, or a date; undefined if unreadable. */
export function parseReset(text: string, now: Date): number | undefined {
  const trimmed = text.trim();
  if (/^\d+(?:\.\d+)?$/.test(trimmed)) return Math.max(0, numberReset(Number(trimmed), now));
  if (wholeDuration.test(trimmed)) {
    const parts = [...trimmed.matchAll(durationPart)];
    return parts.reduce((sum, [, amount, unit = '']) => {
      return sum + Number(amount) * (unitMilliseconds[unit] ?? 0);
    }, 0);
  }
  if (!/^\d{4}-\d\d-\d\dT|^[A-Z][a-z]{2}, \d\d /.test(trimmed)) return undefined;
  const date = Date.parse(trimmed);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now.getTime());
}

const textOf = (headers: Headers, name: string): string | undefined => {
  const value = headers[name];
  return typeof value === 'string' ? value : value?.[0];
};

function numberOf(text: string | undefined): number | undefined {
  const trimmed = text?.trim() ?? '';
  return /^\d+(?:\.\d+)?$/.test(trimmed) ? Number(trimmed) : undefined;
}

function announcedBy(headers: Headers, names: HeaderNames, now: Date): AnnouncedLimit | undefined {
  const remaining = numberOf(textOf(headers, names.remaining));
  if (remaining === undefined) return undefined;
  const reset = textOf(headers, names.reset);
  return {
    limit: numberOf(textOf(headers, names.limit)),
    remaining,
    reset: reset === undefined ? undefined : parseReset(reset, now),
  };
}

/** `RateLimit: "default";r=50;t=30`, as in the draft for standard headers. */
function structured(headers: Headers): AnnouncedLimit | undefined {
  const text = textOf(headers, 'ratelimit') ?? '';
  const remaining = /;\s*r=(\d+)/.exec(text)?.[1];
  if (remaining === undefined) return undefined;
  const reset = /;\s*t=(\d+)/.exec(text)?.[1];
  return {
    limit: undefined,
    remaining: Number(remaining),
    reset: reset === undefined ? undefined : Number(reset) * 1000,
  };
}

function firstOf(
  headers: Headers,
  all: readonly HeaderNames[],
  now: Date,
): AnnouncedLimit | undefined {
  for (const names of all) {
    const limit = announcedBy(headers, names, now);
    if (limit !== undefined) return limit;
  }
  return undefined;
}

/** Whether the headers may report a limit. @param headers with names in lower case */
export function hasLimits(headers: Headers): boolean {
  for (const name in headers) if (name.includes('ratelimit')) return true;
  return false;
}

const noLimits: AnnouncedLimits = { requests: undefined, tokens: undefined };

/** @param headers with names in lower case @param now the time at which they arrived */
export function announcedLimits(headers: Headers, now: Date): AnnouncedLimits {
  if (!hasLimits(headers)) return noLimits;
  return {
    requests: firstOf(headers, requestNames, now) ?? structured(headers),
    tokens: firstOf(headers, tokenNames, now),
  };
}
