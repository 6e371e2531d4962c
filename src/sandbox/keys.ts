import { Failure } from '../failure.ts';

/** At most `requests` in any period of `seconds`. */
export interface RateLimit {
  readonly requests: number;
  readonly seconds: number;
}

export interface KeyTier {
  readonly key: string;
  readonly tier: string;
  readonly models: readonly string[];
  /** Absent: no practical limit. */
  readonly limit?: RateLimit;
  readonly summary: string;
}

/** The default key: every model, no practical limit. */
export const sandboxKey = 'sandbox-key';

/** They are published: they are valid in a sandbox only, and protect nothing. */
export const sandboxKeys: readonly KeyTier[] = [
  {
    key: sandboxKey,
    tier: 'unlimited',
    models: ['origin', 'nextgen'],
    summary: 'both models, no practical rate limit',
  },
  {
    key: 'sandbox-key-origin-only',
    tier: 'origin-only',
    models: ['origin'],
    summary: '403 `forbidden` for `nextgen`',
  },
  {
    key: 'sandbox-key-free-tier',
    tier: 'free',
    models: ['origin', 'nextgen'],
    limit: { requests: 3, seconds: 10 },
    summary:
      '3 requests in 10 seconds, then 429 `rate_limited`, every other one with `Retry-After`',
  },
];

const bearer = /^Bearer +(\S+) *$/i;

/** The token of an `Authorization: Bearer` header, known or not. */
export function bearerToken(header: string | undefined): string | undefined {
  return bearer.exec(header ?? '')?.[1];
}

/** Contract, Authentication. @throws Failure `unauthorized` */
export function authenticate(header: string | undefined): KeyTier {
  if (header === undefined) {
    throw new Failure(
      'unauthorized',
      `the Authorization header is missing; the sandbox takes the key ${sandboxKey}`,
    );
  }
  const token = bearerToken(header);
  if (token === undefined) {
    throw new Failure('unauthorized', 'the Authorization header is not "Bearer <API_KEY>"');
  }
  const known = sandboxKeys.find(({ key }) => key === token);
  if (known !== undefined) return known;
  throw new Failure('unauthorized', `the API key is unknown; the sandbox takes ${sandboxKey}`);
}

/** @throws Failure `forbidden` if the key's tier does not include the model */
export function authorize(key: KeyTier, model: string): void {
  if (!key.models.includes(model)) {
    throw new Failure('forbidden', `the tier "${key.tier}" is not permitted to use "${model}"`);
  }
}
