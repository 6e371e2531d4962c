import type { Remedy } from '../../failure.ts';
import { isJsonObject, type JsonObject, parseJson } from '../../json.ts';
import { contractFields, nameOfStatus, type ErrorName } from '../contract.ts';
import { requestIdOf, retryAfter } from '../http/response-headers.ts';
import type { HttpRequest, ResponseHeaders } from '../http/transport.ts';
import {
  type ErrorBody,
  kindOfName,
  kindOfStatus,
  parseErrorBody,
  refusesModel,
  unknownModel,
} from './error-body.ts';
import { RequestFailure } from './request-failure.ts';
import type { Mask } from './short-text.ts';

/** A response with an error status; `text` is its body, or the part of it that was read. */
export interface FailedResponse {
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly text: string;
}

type SentRequest = Pick<HttpRequest, 'method' | 'body'>;

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
  const reason = body.message ?? body.name;
  const delay = retryAfter(headers, now);
  const requestId = requestIdOf(headers, mask);
  const { kind, summary, remedy, transient } = explain(status, body, request);
  return new RequestFailure(
    kind,
    `${summary} (${status})${reason === undefined ? '' : `: ${reason}`}`,
    {
      status,
      remedy,
      transient: transient ?? isTransient(status, headers['x-should-retry']),
      retryAfterMilliseconds: delay,
      ...(delay !== undefined && Number.isFinite(delay) && { retryAfterSeconds: delay / 1000 }),
      ...(requestId !== undefined && { requestId }),
    },
  );
}

/** Not implemented, HTTP version not supported: a server of something else, such as files. */
const lacksApi = (status: number) => status === 501 || status === 505;

/** Some services send `x-should-retry` where the status does not decide. */
function isTransient(status: number, advice: string | string[] | undefined): boolean {
  if (advice === 'true') return true;
  if (advice === 'false') return false;
  return status === 408 || status === 429 || (status >= 500 && !lacksApi(status));
}

interface Explanation {
  readonly kind: ErrorName;
  readonly summary: string;
  readonly remedy: Remedy;
  /** Decides where the status does not. */
  readonly transient?: boolean;
}

/** Names outside the contract of a 429 that a retry does not cure. */
const exhaustedQuota = /^(?:insufficient_quota|billing_hard_limit_reached)$/;

/** The cause of a failed request: what the body reports decides before the status. */
function explain(status: number, body: ErrorBody, request: SentRequest): Explanation {
  // The name in the body counts only for a status that is not in the contract.
  const kind = nameOfStatus(status) ?? kindOfName(body.name) ?? kindOfStatus(status);
  const { method } = request;
  if (body.names.some((name) => exhaustedQuota.test(name))) {
    return { kind, summary: 'quota exhausted', remedy: { code: 'check-quota' }, transient: false };
  }
  if (status === 402) {
    const summary = 'the service asks for payment, the account has no credit left';
    return { kind, summary, remedy: { code: 'check-quota' }, transient: false };
  }
  if (status === 413 && body.names.includes('rate_limit_exceeded')) {
    // Of Groq, for a request that is over the tokens of a minute.
    return { kind: 'rate_limited', ...explanations.rate_limited, transient: true };
  }
  if (lacksApi(status)) {
    const summary = 'the server does not offer the chat API';
    return { kind, summary, remedy: { code: 'check-base-url' } };
  }
  if (method === 'GET') return { kind, ...explanations[kind], ...modelRemedies[kind] };
  const fields = sentFields(request);
  if (refusesModel(body, fields['model'])) return { kind: 'not_found', ...unknownModel };
  const isParameter = kind === 'invalid_request' && refusesParameter(body) && hasParameter(fields);
  const remedy = isParameter ? { remedy: { code: 'remove-parameter' } as const } : {};
  return { kind, ...explanations[kind], ...remedy };
}

/** A request for models has no body to check, and a list of models does not help. */
const modelRemedies: Partial<Record<ErrorName, { readonly remedy: Remedy }>> = {
  invalid_request: { remedy: { code: 'check-base-url' } },
  forbidden: { remedy: { code: 'check-permissions' } },
  not_found: { remedy: { code: 'check-base-url' } },
};

/** `unsupported parameter: "seed"`, `Unrecognized request argument supplied: seed`, `Unknown parameter: 'seed'.` */
const refusedParameter =
  /\b(?:unsupported|unknown|unrecognized|unexpected)(?: request)? (?:parameter|argument|field)s?\b/i;

const refusesParameter = ({ message = '' }: ErrorBody) => refusedParameter.test(message);

/** The fields of the request's body. */
function sentFields({ body }: SentRequest): JsonObject {
  const fields = body === undefined ? undefined : parseJson(Buffer.from(body).toString());
  return isJsonObject(fields) ? fields : {};
}

/** Whether the request has a field that natter sends only if the user asks for it. */
const hasParameter = (fields: JsonObject) =>
  Object.keys(fields).some((name) => !contractFields.has(name));

const explanations: Readonly<Record<ErrorName, Omit<Explanation, 'kind'>>> = {
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
