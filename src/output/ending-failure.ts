import { Failure, replacedFailure, type Remedy, type RemedyCode } from '../failure.ts';
import { cleanLine, type Secrets } from '../secrets/secrets.ts';

/** Anything thrown as a {@link Failure}; other errors become `unexpected`. */
export function toFailure(error: unknown): Failure {
  if (error instanceof Failure) return error;
  const replaced = replacedFailure(error);
  if (replaced !== undefined) return replaced;
  const message = error instanceof Error ? error.message : String(error);
  return new Failure('unexpected', `unexpected error: ${message}`, {
    hint: 'run it again with NATTER_DEBUG=1 to see where it happened, and please report it',
    cause: error,
  });
}

/** Why a prompt ended early: what was thrown, or the reason of `signal`. */
export function endingFailure(error: unknown, signal: AbortSignal): Failure {
  if (!signal.aborted) return toFailure(error);
  return signal.reason instanceof Failure ? signal.reason : stoppedAnswer();
}

/** The hint of the remedy `send-again` for commands. It is here because most runs need no other hint. */
export const sendAgainHint = 'the received text is kept; send the prompt again';

/** The failure of an answer that the user or a signal stopped. */
export function stoppedAnswer(): Failure {
  return new Failure('incomplete', 'the answer is incomplete: natter was stopped', {
    remedy: { code: 'send-again' },
    hint: sendAgainHint,
  });
}

/**
 * `{error: {kind, status, message, hint, remedy, retry_after, request_id, attempts}}`, `retry_after` in seconds; nothing
 * without a failure.
 */
export function failureFields(
  failure: Failure | undefined,
  context: { readonly secrets: Secrets },
) {
  if (failure === undefined) return {};
  const clean = (text: string) => cleanLine(context, text);
  const error = {
    kind: failure.kind,
    status: failure.status,
    message: clean(failure.message),
    hint: failure.hint === undefined ? undefined : clean(failure.hint),
    remedy: failure.remedy?.code,
    retry_after: failure.retryAfterSeconds,
    request_id: failure.requestId === undefined ? undefined : clean(failure.requestId),
    attempts: failure.attempts,
  };
  return { error };
}

/** Hints are one line without a full stop. */
type RemedyHints<Code extends RemedyCode = RemedyCode> = {
  readonly [One in Code]: (remedy: Extract<Remedy, { readonly code: One }>) => string;
};

/** The options of the command line that set limits of the client. */
export const timeoutOptions = {
  idleTimeout: '--idle-timeout',
  firstByteTimeout: '--first-byte-timeout',
  totalTimeout: '--timeout',
};

/** Hints that name neither a command nor a key, for every front end. */
export const commonHints = {
  'retry-later': () => 'try again later',
  'report-to-operator': () => 'try again; if it happens again, report it to the service operator',
  'ask-about-limits': () => 'ask the provider of the service about your limits',
  'check-quota': () => 'check the plan and billing of the account; retrying does not help',
  'rephrase-prompt': () =>
    'the received text is kept; rephrase the prompt, or use a different model',
  'ask-for-text': () => 'the received text is kept; natter runs no tools, so ask for text only',
  'correct-base-url': () => 'a base URL looks like https://api.example.com',
  'correct-limit': ({ option }) => `set ${option} to 0, to a positive number, or to Infinity`,
  'check-scheme': ({ scheme }) =>
    scheme === 'http'
      ? 'check the port of the base URL, and whether it should start with http://'
      : 'try again later, or check whether the base URL needs https://',
  'check-proxy': ({ variable }) => `check ${variable}, or name the host in NO_PROXY`,
  'sign-in-to-proxy': ({ variable }) =>
    `add them to the proxy variable: ${variable}=http://user:password@host:port`,
  'trust-authority': () =>
    'set NODE_EXTRA_CA_CERTS to the certificate file of your own authority; for a public one, the service must send the complete certificate chain',
  'trust-certificate': () => 'if you trust it, set NODE_EXTRA_CA_CERTS to its file',
  'check-clock': () =>
    "check this machine's clock; if it is right, the service needs a new certificate",
  'replace-certificate': () => 'the service needs a new certificate',
  'raise-header-limit': () =>
    'a gateway may add headers; NODE_OPTIONS=--max-http-header-size=65536 raises the limit',
} satisfies Partial<RemedyHints>;

/** The hints that each front end must have. */
export type FrontEndHints = RemedyHints<Exclude<RemedyCode, keyof typeof commonHints>>;

/** The failure's own hint, else the front end's hint for its remedy, with commands marked. */
export function hintOf(
  { markedHint: hint, remedy }: Failure,
  words: FrontEndHints,
): string | undefined {
  if (hint !== undefined || remedy === undefined) return hint;
  const all: RemedyHints = { ...commonHints, ...words };
  // A recording of a newer natter may have codes that this one does not know.
  if (!Object.hasOwn(all, remedy.code)) return undefined;
  // The code determines the data, which the compiler cannot infer here.
  return (all[remedy.code] as (remedy: Remedy) => string)(remedy);
}

/** Offers the command only without characters that a shell interprets: the server chooses the URL, and a user may paste it. */
export function setBaseUrlHint({ baseUrl }: { readonly baseUrl: string }): string {
  return /^[\w:/.~%[\]-]+$/.test(baseUrl)
    ? `if that is right, set the base URL: ‹natter config set base-url ${baseUrl}›`
    : 'if that address is right, set it as the base URL';
}
