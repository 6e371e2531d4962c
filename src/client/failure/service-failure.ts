import { type Mask, unmasked } from './short-text.ts';
import type { Remedy } from '../../failure.ts';
import { nameOfStatus, type ErrorName } from '../contract.ts';
import { parseErrorBody } from './error-body.ts';
import { kindOfName, kindOfStatus } from './error-kind.ts';
import { RequestFailure } from './request-failure.ts';
import { requestIdOf } from '../http/request-id.ts';
import { retryAfter } from '../retry/retry-after.ts';
import type { ResponseHeaders } from '../http/transport.ts';

/** A response with an error status; `text` is its body, or as much of it as was read. */
export interface FailedResponse {
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly text: string;
}

/** What was requested, which decides the remedy. */
export type Asked = 'completion' | 'models';

/** The failure for a status that is neither 2xx nor a redirect; `now` is when its headers arrived. */
export function serviceFailure(
  { status, headers, text }: FailedResponse,
  now: Date,
  asks: Asked = 'completion',
  mask: Mask = unmasked,
) {
  const body = parseErrorBody(text, headers['content-type'], mask);
  // The body's own name counts only for a status the contract does not know.
  const kind = nameOfStatus(status) ?? kindOfName(body.name) ?? kindOfStatus(status);
  const reason = body.message ?? body.name;
  const asked = retryAfter(headers, now);
  const requestId = requestIdOf(headers, mask);
  const isExhausted = body.names.some((name) => exhaustedQuota.test(name));
  const { summary, remedy } = isExhausted ? quotaExhausted : explain(kind, asks);
  return new RequestFailure(
    kind,
    `${summary} (${status})${reason === undefined ? '' : `: ${reason}`}`,
    {
      status,
      remedy,
      transient: !isExhausted && isTransient(status, headers['x-should-retry']),
      askedDelay: asked,
      ...(asked !== undefined && Number.isFinite(asked) && { retryAfterSeconds: asked / 1000 }),
      ...(requestId !== undefined && { requestId }),
    },
  );
}

/** Some services send `x-should-retry` where the status does not decide. */
function isTransient(status: number, advice: string | string[] | undefined): boolean {
  if (advice === 'true') return true;
  if (advice === 'false') return false;
  return status === 408 || status === 429 || status >= 500;
}

interface Explanation {
  readonly summary: string;
  readonly remedy: Remedy;
}

/** A request for models has no body to check, and no list of models helps it. */
const modelRemedies: Partial<Record<ErrorName, Remedy>> = {
  invalid_request: { code: 'check-base-url' },
  forbidden: { code: 'check-permissions' },
  not_found: { code: 'check-base-url' },
};

function explain(kind: ErrorName, asks: Asked): Explanation {
  const explanation = explanations[kind];
  const remedy = asks === 'models' ? modelRemedies[kind] : undefined;
  return remedy === undefined ? explanation : { ...explanation, remedy };
}

/** Names of a 429 that lasts, outside the contract. */
const exhaustedQuota = /^(?:insufficient_quota|billing_hard_limit_reached)$/;

const quotaExhausted: Explanation = {
  summary: 'quota exhausted',
  remedy: { code: 'check-quota' },
};

const explanations: Readonly<Record<ErrorName, Explanation>> = {
  invalid_request: {
    summary: 'the service rejected the request as invalid',
    remedy: { code: 'check-request' },
  },
  unauthorized: {
    summary: 'the service requires a valid API key',
    remedy: { code: 'sign-in' },
  },
  forbidden: {
    summary: 'the API key is not allowed to do this',
    remedy: { code: 'list-models' },
  },
  not_found: {
    summary: 'the service does not know this model or address',
    remedy: { code: 'check-model' },
  },
  rate_limited: {
    summary: 'rate limited by the service',
    remedy: { code: 'slow-down' },
  },
  server_error: {
    summary: 'the service failed',
    remedy: { code: 'retry-later' },
  },
};
