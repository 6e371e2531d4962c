/** A command or an option in a hint or a notice. */
const markedCommand = /‹((?:natter|npm|-)[^›]*)›/g;

/**
 * The text of a hint or a notice, in which commands stand in `‹ ›`: `run ‹natter auth login› first`. The marks are not
 * shown: they keep a command in one row, and tell which commands get the profile in use.
 */
export function withCommands(
  text: string,
  shown: (command: string) => string = (command) => command,
): string {
  return text.replaceAll(markedCommand, (_, command: string) => shown(command));
}

/** The exit code of each kind. Signals (130, 143, 129) are not failures; they are re-raised. */
export const exitCodes = {
  unexpected: 1,
  usage: 2,
  configuration: 3,
  unauthorized: 4,
  forbidden: 5,
  not_found: 6,
  invalid_request: 7,
  rate_limited: 8,
  server_error: 9,
  unreachable: 10,
  incomplete: 11,
  storage: 12,
  mismatch: 13,
  no_answer: 14,
  budget: 15,
  truncated_prompt: 16,
  secrets: 17,
  // EX_TEMPFAIL of sysexits.h: schedulers retry it.
  unfinished: 75,
};

/** Each kind has its own exit code (`natter help exit-codes`). */
export type FailureKind = keyof typeof exitCodes;

type PlainRemedyCode =
  | 'send-again'
  | 'retry-later'
  | 'slow-down'
  | 'report-to-operator'
  | 'ask-about-limits'
  | 'check-quota'
  | 'rephrase-prompt'
  | 'ask-for-text'
  | 'check-base-url'
  | 'check-host'
  | 'check-connection'
  | 'correct-base-url'
  | 'remove-user-info'
  | 'use-https'
  | 'sign-in'
  | 'enter-key-again'
  | 'check-permissions'
  | 'raise-max-tokens'
  | 'check-request'
  | 'shorten-prompt'
  | 'shorten-or-wait'
  | 'remove-parameter'
  | 'check-model'
  | 'choose-model'
  | 'list-models'
  | 'trust-authority'
  | 'trust-certificate'
  | 'check-clock'
  | 'replace-certificate'
  | 'raise-header-limit';

/**
 * What may help after a failure; docs/client.md lists the codes. Like messages, the texts may come from a server or a
 * file.
 */
export type Remedy =
  | { readonly [Code in PlainRemedyCode]: { readonly code: Code } }[PlainRemedyCode]
  | {
      readonly code: 'raise-timeout';
      readonly limit: 'idleTimeout' | 'firstByteTimeout' | 'totalTimeout';
    }
  /** The service accepts requests from `time` (local) on, in `seconds` seconds. */
  | { readonly code: 'wait-until'; readonly time: string; readonly seconds: number }
  /** `scheme` is probably what the service expects. */
  | { readonly code: 'check-scheme'; readonly scheme: 'http' | 'https' }
  /** `baseUrl` is where the service redirects to. */
  | { readonly code: 'set-base-url'; readonly baseUrl: string }
  /** `variable` is the environment variable that names the proxy. */
  | { readonly code: 'check-proxy'; readonly variable: string }
  /** The server that should listen on this port of this machine is probably not running. */
  | { readonly code: 'start-server'; readonly port: string }
  | { readonly code: 'sign-in-to-proxy'; readonly variable: string }
  /** `option` is the client's option with the invalid value. */
  | { readonly code: 'correct-limit'; readonly option: string }
  /** `name` is the unknown id or title. */
  | { readonly code: 'list-conversations'; readonly name: string; readonly isInTrash: boolean }
  /** `file` is the recording that is replayed. */
  | { readonly code: 'record-request'; readonly file: string };

export type RemedyCode = Remedy['code'];

/** What a failure says besides its kind and message. The details of the service are absent if it reported none. */
export interface FailureOptions {
  readonly status?: number | undefined;
  /** Whether the same request may succeed when it is sent again. */
  readonly transient?: boolean | undefined;
  /** Seconds to wait, as requested by the service; may be infinite before the last attempt. */
  readonly retryAfterSeconds?: number | undefined;
  /** `x-request-id` or its usual variants. */
  readonly requestId?: string | undefined;
  /** Requests sent, including the failed one. */
  readonly attempts?: number | undefined;
  /** The context window that the service named, in tokens. */
  readonly contextWindow?: number | undefined;
  /**
   * What to type next, for a failure that only one front end can have: one line without a full stop, with its commands
   * marked for {@link withCommands}.
   */
  readonly hint?: string | undefined;
  /** What may help, for a failure that several front ends can have. */
  readonly remedy?: Remedy | undefined;
  readonly cause?: unknown;
}

/**
 * The only error class that natter throws on purpose. `message` is one sentence that starts in lower case (it is shown
 * after `natter: `): what happened, and why. It may contain text from a server or a file, so sanitize it before
 * printing.
 */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly kind: FailureKind;
  readonly hint: string | undefined;
  /** The hint with its commands marked. */
  readonly markedHint: string | undefined;
  readonly remedy: Remedy | undefined;
  readonly status: number | undefined;
  readonly transient: boolean | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly requestId: string | undefined;
  readonly attempts: number | undefined;
  readonly contextWindow: number | undefined;

  constructor(kind: FailureKind, message: string, options: FailureOptions = {}) {
    super(message, { cause: options.cause });
    this.kind = kind;
    this.hint = options.hint === undefined ? undefined : withCommands(options.hint);
    this.markedHint = options.hint;
    this.remedy = options.remedy;
    this.status = options.status;
    this.transient = options.transient;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.requestId = options.requestId;
    this.attempts = options.attempts;
    this.contextWindow = options.contextWindow;
  }
}

/** The failure for two options that cannot be used together. */
export const exclusive = (first: string, second: string, hint = 'use only one of them'): Failure =>
  new Failure('usage', `${first} and ${second} cannot be used together`, { hint });

/** An update replaced natter's files while it was running. Undefined for any other error. */
export function replacedFailure(error: unknown): Failure | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code } = error as NodeJS.ErrnoException;
  const isOfBundle = /[\\/]dist[\\/][\w.-]+\.js' imported from/.test(error.message);
  if (code !== 'ERR_MODULE_NOT_FOUND' || !isOfBundle) return undefined;
  const message = 'natter was updated while it was running, and its files have changed';
  const hint = 'start natter again; ‹natter -c› continues the conversation';
  return new Failure('unexpected', message, { hint, cause: error });
}
