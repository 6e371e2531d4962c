import { nameOfStatus, type ErrorName } from '../contract.ts';
import { parseErrorBody } from './error-body.ts';
import { kindOfName, kindOfStatus } from './error-kind.ts';
import { RequestFailure } from './request-failure.ts';
import { requestIdOf } from '../http/request-id.ts';
import { retryAfter } from '../retry/retry-after.ts';
import type { ResponseHeaders } from '../http/transport.ts';

/** A response that is no answer; `text` is its body, or as much of it as was read. */
export interface FailedResponse {
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly text: string;
}

/** What a request asks for, which decides what helps. */
export type Asked = 'completion' | 'models';

/** The failure for a status that is neither 2xx nor a redirect; `now` is when its headers arrived. */
export function serviceFailure(
  { status, headers, text }: FailedResponse,
  now: Date,
  asks: Asked = 'completion',
) {
  const body = parseErrorBody(text, headers['content-type']);
  // The body's own name counts only for a status the contract does not know.
  const kind = nameOfStatus(status) ?? kindOfName(body.name) ?? kindOfStatus(status);
  const said = body.message ?? body.name;
  const asked = retryAfter(headers, now);
  const requestId = requestIdOf(headers);
  const isUsedUp = body.names.some((name) => usedUp.test(name));
  const { summary, hint } = isUsedUp ? accountUsedUp : explain(kind, asks);
  return new RequestFailure(
    kind,
    `${summary} (${status})${said === undefined ? '' : `: ${said}`}`,
    {
      status,
      hint,
      transient: !isUsedUp && isTransient(status, headers['x-should-retry']),
      askedDelay: asked,
      ...(asked !== undefined && Number.isFinite(asked) && { retryAfterSeconds: asked / 1000 }),
      ...(requestId !== undefined && { requestId }),
    },
  );
}

/** `x-should-retry` is how some services say what the status cannot. */
function isTransient(status: number, advice: string | string[] | undefined): boolean {
  if (advice === 'true') return true;
  if (advice === 'false') return false;
  return status === 408 || status === 429 || status >= 500;
}

interface Explanation {
  readonly summary: string;
  readonly hint: string;
}

/** Of a request for models, which has no dry run, and needs no list of models. */
const modelHints: Partial<Record<ErrorName, string>> = {
  invalid_request: 'check the base URL: natter auth status',
  forbidden: 'natter auth status shows the key in use; whoever issued it can allow more',
  not_found: 'check the base URL: natter auth status',
};

function explain(kind: ErrorName, asks: Asked): Explanation {
  const explanation = explanations[kind];
  const hint = asks === 'models' ? modelHints[kind] : undefined;
  return hint === undefined ? explanation : { ...explanation, hint };
}

/** Names that other services give a 429 which no waiting ends. */
const usedUp = /^(?:insufficient_quota|billing_hard_limit_reached)$/;

const accountUsedUp: Explanation = {
  summary: 'what the account may use is used up',
  hint: 'the plan and the billing of the account say more; asking again does not help',
};

const explanations: Readonly<Record<ErrorName, Explanation>> = {
  invalid_request: {
    summary: 'the service rejected the request as invalid',
    hint: '--dry-run shows what is sent',
  },
  unauthorized: {
    summary: 'the service wants a valid key',
    hint: 'set the key with natter auth login',
  },
  forbidden: {
    summary: 'the key may not be used for this',
    hint: 'natter models list shows the models there are',
  },
  not_found: {
    summary: 'the service does not know this model or address',
    hint: 'natter models list shows the models there are; natter auth status shows the address in use',
  },
  rate_limited: {
    summary: 'the service limits how often it is asked',
    hint: 'wait a little and ask again, or allow more tries with --retries',
  },
  server_error: {
    summary: 'the service failed',
    hint: 'ask again later',
  },
};
