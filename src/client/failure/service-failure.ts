import { startTimer, type Clock } from '../../clock.ts';
import { Failure, type FailureKind, type Remedy, type RemedyCode } from '../../failure.ts';
import { filledText, firstField, isJsonObject, type JsonObject, parseJson } from '../../json.ts';
import { maskUrl } from '../../secrets/mask.ts';
import type { Sender } from '../configuration.ts';
import { contractFields, nameOfStatus, type ErrorName } from '../contract.ts';
import { parseUrl } from '../http/base-url.ts';
import type { HttpRequest, HttpResponse, ResponseHeaders } from '../http/transport.ts';
import {
  type ErrorBody,
  kindOfName,
  kindOfStatus,
  type Mask,
  parseErrorBody,
  readErrorValue,
  refusesLength,
  refusesModel,
  shortText,
  unknownModel,
} from './error-body.ts';

/** Bytes of an error's body that are read. */
const maxErrorBody = 64 * 1024;
/** Milliseconds for reading them. */
const errorBodyTimeout = 2_000;

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Accepts a 2xx with content to come. @throws Failure; or the signal's reason when it aborts. */
export async function requireAccepted(
  request: HttpRequest,
  response: HttpResponse,
  { clock, mask }: Sender,
  signal: AbortSignal,
): Promise<void> {
  const { status, headers } = response;
  const isEmpty = status === 204 || status === 205;
  if (status >= 200 && status < 300 && !isEmpty) return;
  if (isEmpty || redirects.has(status)) {
    const failure = noContentFailure(response, request.url);
    response.destroy(failure);
    throw failure;
  }
  const now = clock.date();
  const text = await readErrorText(response, clock);
  signal.throwIfAborted();
  throw serviceFailure({ status, headers, text }, now, request, mask);
}

/** Reads the start of an error's body; a slow, endless or broken body does not delay the failure. */
async function readErrorText(response: HttpResponse, clock: Clock): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const timedOut = new Error('the error body took too long');
  const stop = startTimer(clock, errorBodyTimeout, () => response.destroy(timedOut));
  try {
    for await (const chunk of response.body) {
      chunks.push(chunk);
      size += chunk.byteLength;
      if (size >= maxErrorBody) break;
    }
  } catch {
    // The status already decides the failure; the text read so far is enough.
  } finally {
    stop();
  }
  return Buffer.concat(chunks).subarray(0, maxErrorBody).toString();
}

/** The headers in which services send the id of a request, in the order of their precedence. */
const requestIdHeaders = [
  'x-request-id',
  'request-id',
  'x-correlation-id',
  'correlation-id',
  'x-trace-id',
  'x-amzn-requestid',
  'x-ms-request-id',
];

/** Reads the id of the request in the service's logs from the first of the usual headers that is present. */
export function requestIdOf(headers: ResponseHeaders, mask: Mask): string | undefined {
  const id = firstField([headers], requestIdHeaders, filledText);
  return id && shortText(id, mask);
}

/**
 * Reads the milliseconds to wait from `retry-after-ms`, else `Retry-After` (seconds, fractions too, or an HTTP-date,
 * RFC 9110 sections 10.2.3 and 5.6.7). Can be Infinity. Undefined when absent, unreadable or past.
 */
export function retryAfter(headers: ResponseHeaders, now: Date): number | undefined {
  const milliseconds = parseDecimal(String(headers['retry-after-ms']));
  if (milliseconds !== undefined) return milliseconds;
  const text = headers['retry-after'];
  if (text === undefined) return undefined;
  const seconds = parseDecimal(text);
  if (seconds !== undefined) return seconds * 1000;
  // An HTTP-date is always in GMT, also in the form that does not say so.
  const isDate = /^[a-z]{3}.*\d\d:\d\d:\d\d/i.test(text.trim());
  const wait = Date.parse(`${text.trim().replace(/ GMT$/, '')} GMT`) - now.getTime();
  return isDate && wait >= 0 ? wait : undefined;
}

function parseDecimal(text: string): number | undefined {
  const trimmed = text.trim();
  if (/^infinity$/i.test(trimmed)) return Infinity;
  return /^\d+(\.\d+)?$/.test(trimmed) ? Number(trimmed) : undefined;
}

/**
 * Describes a response whose status is neither 2xx nor a redirect. The request decides the remedy.
 * @param response `text` is its body, or the part of it that was read
 * @param now when its headers arrived
 */
export function serviceFailure(
  response: { readonly status: number; readonly headers: ResponseHeaders; readonly text: string },
  now: Date,
  request: HttpRequest,
  mask: Mask,
): Failure {
  const { status, headers, text } = response;
  const body = parseErrorBody(text, headers['content-type'], mask);
  const reason = body.message ?? body.names[0];
  const delay = retryAfter(headers, now);
  const { kind, summary, remedy, hint, transient } = explain(status, body, request);
  const message = `${mask(summary)} (${status})${reason === undefined ? '' : `: ${reason}`}`;
  return new Failure(kind, message, {
    status,
    remedy,
    hint,
    transient: transient ?? isTransient(status, headers['x-should-retry']),
    retryAfterSeconds: delay === undefined ? undefined : delay / 1000,
    requestId: requestIdOf(headers, mask),
    contextWindow: body.contextWindow,
  });
}

const addedPathHint =
  'natter added /v1 to the base URL; for an API at another path, set --base-url to all of it, or --api-path / to add nothing';

/** Whether a server is one of something else, such as files: not implemented, HTTP version not supported. */
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
  readonly hint?: string;
  /** Decides instead of the status. */
  readonly transient?: boolean;
}

/** What explains a kind, if the body does not say more. */
const explanations = {
  invalid_request: ['the service rejected the request as invalid', 'check-request'],
  unauthorized: ['the service requires a valid API key', 'sign-in'],
  forbidden: ['the API key is not allowed to do this', 'list-models'],
  not_found: ['the service does not know this model or address', 'check-model'],
  rate_limited: ['rate limited by the service', 'slow-down'],
  server_error: ['the service failed', 'retry-later'],
} as const satisfies Readonly<Record<ErrorName, readonly [summary: string, RemedyCode]>>;

function usualOf(kind: ErrorName): Explanation {
  const [summary, code] = explanations[kind];
  return { kind, summary, remedy: { code } };
}

/** Remedies of a request for models: it has no body to check, and a list of models does not help. */
const modelRemedies: Partial<Record<ErrorName, Remedy>> = {
  invalid_request: { code: 'check-base-url' },
  forbidden: { code: 'check-permissions' },
  not_found: { code: 'check-base-url' },
};

/** Names of a 429 that a retry does not cure. */
const exhaustedQuota = /^(?:insufficient_quota|billing_hard_limit_reached)$/;

/** Gemini refuses a key with the status 400. */
const refusedKey = /\bAPI key (?:not valid|expired|not found)\b/i;

/** Explains a failed request: what the body reports decides before the status. */
function explain(status: number, body: ErrorBody, request: HttpRequest): Explanation {
  // The name in the body counts only for a status that is not in the contract.
  const named = nameOfStatus(status) ?? kindOfName(body.names[0]) ?? kindOfStatus(status);
  const { message = '', names } = body;
  const kind = status === 400 && refusedKey.test(message) ? 'unauthorized' : named;
  const usual = usualOf(kind);
  const checkUrl: Remedy = { code: 'check-base-url' };
  const isQuota = names.some((name) => exhaustedQuota.test(name));
  if (isQuota || status === 402) {
    const unpaid = 'the service asks for payment, the account has no credit left';
    const summary = isQuota ? 'quota exhausted' : unpaid;
    return { kind, summary, remedy: { code: 'check-quota' }, transient: false };
  }
  if (names.includes('rate_limit_exceeded')) return explainRateLimit(status, message);
  if (status === 413) {
    const summary = 'the service cannot take a prompt of this length';
    return { kind: 'invalid_request', summary, remedy: { code: 'shorten-prompt' } };
  }
  if (lacksApi(status)) {
    return { kind, summary: 'the server does not offer the chat API', remedy: checkUrl };
  }
  const isPrompt = request.method === 'POST';
  const sent = parseJson(Buffer.from(request.body ?? []).toString());
  const fields = isJsonObject(sent) ? sent : {};
  if (isPrompt && refusesModel(body, fields['model']))
    return { kind: 'not_found', ...unknownModel };
  // Services of the contract name a missing model `not_found`, others speak of a model.
  if (kind === 'not_found' && !/model|not_found/i.test([...names, message].join(' '))) {
    const summary = `the service does not know the address ${request.url.href}`;
    const hint = request.isPathGuessed === true ? { hint: addedPathHint } : {};
    return { kind, summary, remedy: checkUrl, ...hint };
  }
  if (!isPrompt) return { ...usual, remedy: modelRemedies[kind] ?? usual.remedy };
  if (kind !== 'invalid_request') return usual;
  // Only if the user asks for it, natter sends a field that is not in the contract.
  const hasParameter = Object.keys(fields).some((name) => !contractFields.has(name));
  if (refusedParameter.test(message) && hasParameter) {
    return { ...usual, remedy: { code: 'remove-parameter' } };
  }
  return refusesLength(body) ? { ...usual, remedy: { code: 'shorten-prompt' } } : usual;
}

/** The message of Groq (413) and OpenAI (429) about the tokens of a minute: `Limit 6000, Requested 9000`. */
const minuteLimit = /\bLimit (?<limit>\d+)\b.*\bRequested ~?(?<requested>\d+)/i;

/** Explains a rate limit by its name, whatever the status. One for a request that no minute has room for is final. */
function explainRateLimit(status: number, message: string): Explanation {
  const limited = usualOf('rate_limited');
  const retried = status === 429 ? limited : { ...limited, transient: true };
  if (!/\brequest too large\b/i.test(message)) return retried;
  const { limit, requested } = minuteLimit.exec(message)?.groups ?? {};
  const isFinal = limit !== undefined && Number(requested) > Number(limit);
  const remedy = { code: 'shorten-or-wait' } as const;
  return { ...retried, remedy, ...(isFinal && { transient: false }) };
}

/** `unsupported parameter: "seed"`, `Unrecognized request argument supplied: seed`, `Unknown parameter: 'seed'.` */
const refusedParameter =
  /\b(?:unsupported|unknown|unrecognized|unexpected)(?: request)? (?:parameter|argument|field)s?\b/i;

/**
 * The failure of a response without content: redirects are not followed, because the key and the prompt would go to a
 * host that the user did not choose.
 */
function noContentFailure({ status, headers }: HttpResponse, url: URL): Failure {
  const checkUrl: Remedy = { code: 'check-base-url' };
  if (!redirects.has(status)) {
    const message = `the service sent no content (${status})`;
    return new Failure('server_error', message, { status, remedy: checkUrl });
  }
  const { location } = headers;
  const target = location === undefined ? undefined : parseUrl(location, url);
  // The query is left out, because it may contain a token.
  const address = target && `${target.protocol}//${target.host}${target.pathname}`;
  const place = address === undefined ? 'without a target' : `to ${maskUrl(address)}`;
  const baseUrl = address?.replace(/(\/v1)?\/(chat|models)\b.*$/, '');
  return new Failure(
    'configuration',
    `the service redirects (${status}) ${place}, which natter does not follow`,
    { status, remedy: baseUrl === undefined ? checkUrl : { code: 'set-base-url', baseUrl } },
  );
}

/** Kinds by words in error names outside the contract; the first row that matches decides. */
const kindsByWord: readonly (readonly [RegExp, FailureKind])[] = [
  [/rate.?limit|too.?many.?req|quota|throttl|exhausted/i, 'rate_limited'],
  [/permission|forbidden|access.?denied|not.?allowed/i, 'forbidden'],
  [/auth|api.?key|credential/i, 'unauthorized'],
  [/not.?found|no.?such|does.?not.?exist/i, 'not_found'],
  [
    /context.?(?:length|size|window)|too.?(?:long|large)|max.?tokens|invalid|bad.?request|unsupported|validation|missing|unprocessable|content.?(?:filter|policy)/i,
    'invalid_request',
  ],
];

/**
 * The failure for an error that a service reports in a response with status 200. Its kind is that of the contract's
 * name, of a status in the body, or of other names.
 */
export function reportedError(error: ErrorBody): Failure {
  const { names, status } = error;
  const problem = `the service reported an error: ${error.message ?? names[0] ?? 'no reason given'}`;
  if (refusesModel(error)) {
    return new Failure('not_found', problem, { remedy: unknownModel.remedy });
  }
  const [known] = names.flatMap((name) => kindOfName(name) ?? []);
  const [byWord = 'server_error'] = names.flatMap(
    (name) => kindsByWord.find(([words]) => words.test(name))?.[1] ?? [],
  );
  const kind = known ?? (status === undefined ? byWord : kindOfStatus(status));
  const isLength = kind === 'invalid_request' && refusesLength(error);
  return new Failure(kind, problem, { remedy: isLength ? { code: 'shorten-prompt' } : undefined });
}

/**
 * Finds the error in a chunk or in a whole body; undefined where there is none. An error is an `error` field of the
 * value or of its first choice, or, in a value without `choices`, a `message`, a `detail` or the type `error`.
 */
export function findError(value: JsonObject, mask: Mask): ErrorBody | undefined {
  const { error, choices, message, detail, errors, object, type } = value;
  if (error) return readErrorValue(value, mask);
  if (Array.isArray(choices)) {
    const [first]: unknown[] = choices;
    const inner = isJsonObject(first) ? first['error'] : undefined;
    return inner ? readErrorValue({ error: inner }, mask) : undefined;
  }
  const hasReason = filledText(message) !== undefined || Boolean(detail) || Boolean(errors);
  const isError = hasReason || object === 'error' || type === 'error';
  return isError ? readErrorValue(value, mask) : undefined;
}
