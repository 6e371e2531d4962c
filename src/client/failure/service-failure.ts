import type { Remedy } from '../../failure.ts';
import { parseJson } from '../../json.ts';
import { contractFields, nameOfStatus, type ErrorName } from '../contract.ts';
import { requestIdOf, retryAfter } from '../http/response-headers.ts';
import type { HttpRequest, ResponseHeaders } from '../http/transport.ts';
import { kindOfName, kindOfStatus, parseErrorBody, type ErrorBody } from './error-body.ts';
import { RequestFailure } from './request-failure.ts';
import type { Mask } from './short-text.ts';

/** A response with an error status; `text` is its body, or the part of it that was read. */
export interface FailedResponse {
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly text: string;
}

type SentRequest = Pick<HttpRequest, 'method' | 'url' | 'body' | 'hasAddedPath'>;

/**
 * The failure for a status that is neither 2xx nor a redirect; `now` is when its headers arrived. The request decides
 * the remedy.
 */
export function serviceFailure(
  { status, headers, text }: FailedResponse,
  now: Date,
  request: SentRequest,
  mask: Mask,
): RequestFailure {
  const body = parseErrorBody(text, headers['content-type'], mask);
  // The name in the body counts only for a status that is not in the contract.
  const kind = nameOfStatus(status) ?? kindOfName(body.name) ?? kindOfStatus(status);
  const reason = body.message ?? body.name;
  const delay = retryAfter(headers, now);
  const requestId = requestIdOf(headers, mask);
  const isExhausted = body.names.some((name) => exhaustedQuota.test(name));
  const isParameter = kind === 'invalid_request' && refusesParameter(body) && hasParameter(request);
  const usual = lacksApi(status) ? apiMissing : explain(kind, request);
  const explanation = isParameter ? parameterRefused : usual;
  const { summary, remedy } = isExhausted ? quotaExhausted : explanation;
  const isAddress = kind === 'not_found' && !isAboutModel(body);
  const what = isAddress
    ? `the service does not know the address ${mask(request.url.href)}`
    : summary;
  return new RequestFailure(
    kind,
    `${what} (${status})${reason === undefined ? '' : `: ${reason}`}`,
    {
      status,
      remedy: isAddress ? { code: 'check-base-url' } : remedy,
      ...(isAddress && request.hasAddedPath === true && { hint: addedPathHint }),
      transient: !isExhausted && isTransient(status, headers['x-should-retry']),
      retryAfterMilliseconds: delay,
      ...(delay !== undefined && Number.isFinite(delay) && { retryAfterSeconds: delay / 1000 }),
      ...(requestId !== undefined && { requestId }),
    },
  );
}

/** Services of the contract name it `not_found`, others speak of a model. */
const isAboutModel = ({ names, message = '' }: ErrorBody) =>
  /model|not_found/i.test([...names, message].join(' '));

const addedPathHint =
  'natter added /v1 to the base URL; for an API at another path, set --base-url to all of it, or --api-path / to add nothing';

/** Not implemented, HTTP version not supported: a server of something else, such as files. */
const lacksApi = (status: number) => status === 501 || status === 505;

/** Some services send `x-should-retry` where the status does not decide. */
function isTransient(status: number, advice: string | string[] | undefined): boolean {
  if (advice === 'true') return true;
  if (advice === 'false') return false;
  return status === 408 || status === 429 || (status >= 500 && !lacksApi(status));
}

interface Explanation {
  readonly summary: string;
  readonly remedy: Remedy;
}

/** A request for models has no body to check, and a list of models does not help. */
const modelRemedies: Partial<Record<ErrorName, Remedy>> = {
  invalid_request: { code: 'check-base-url' },
  forbidden: { code: 'check-permissions' },
  not_found: { code: 'check-base-url' },
};

function explain(kind: ErrorName, { method }: SentRequest): Explanation {
  const explanation = explanations[kind];
  const remedy = method === 'GET' ? modelRemedies[kind] : undefined;
  return remedy === undefined ? explanation : { ...explanation, remedy };
}

/** Names outside the contract of a 429 that a retry does not cure. */
const exhaustedQuota = /^(?:insufficient_quota|billing_hard_limit_reached)$/;

const apiMissing: Explanation = {
  summary: 'the server does not offer the chat API',
  remedy: { code: 'check-base-url' },
};

const quotaExhausted: Explanation = {
  summary: 'quota exhausted',
  remedy: { code: 'check-quota' },
};

/** `unsupported parameter: "seed"`, `Unrecognized request argument supplied: seed`, `Unknown parameter: 'seed'.` */
const refusedParameter =
  /\b(?:unsupported|unknown|unrecognized|unexpected)(?: request)? (?:parameter|argument|field)s?\b/i;

const refusesParameter = ({ message = '' }: ErrorBody) => refusedParameter.test(message);

/** Whether the request has a field that natter sends only if the user asks for it. */
function hasParameter({ body }: SentRequest): boolean {
  const fields = body === undefined ? undefined : parseJson(Buffer.from(body).toString());
  return Object.keys(fields ?? {}).some((name) => !contractFields.has(name));
}

const parameterRefused: Explanation = {
  summary: 'the service rejected the request as invalid',
  remedy: { code: 'remove-parameter' },
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
