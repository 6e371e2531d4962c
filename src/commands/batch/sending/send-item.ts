import { type Answer, ask } from '../../../ask/ask.ts';
import {
  type AnswerCheck,
  askUntilConforming,
  checkedFields,
  type CheckedAnswers,
  failureOf,
  lastOf,
  metadataOf,
} from '../../../ask/check.ts';
import { promptFingerprint } from '../../../batch/fingerprint.ts';
import type { BatchItem, ItemContent } from '../../../batch/input/item.ts';
import { textMessages } from '../../../conversation/message-text.ts';
import type { CompletionRequest, Message } from '../../../client/contract.ts';
import { rephrase } from '../../../client/failure/request-failure.ts';
import { stoppedAnswer } from '../../../output/ending-failure.ts';
import type { ResolvedSettings } from '../../../settings/resolved-settings.ts';
import { withRequestHint } from '../../program/report.ts';
import type { GuardedRequest } from '../../prompt/secret-guard.ts';
import type { SendingRun } from '../plan.ts';
import { planRequest, type PlannedRequest } from '../../../ask/plan-request.ts';
import type { Client, Throttle } from '../../../client/client.ts';
import type { HttpResponse } from '../../../client/http/transport.ts';
import type { Clock } from '../../../clock.ts';
import type { CheckedFields } from '../../../output/json-answer.ts';

/** An item's messages after its own system prompt, else the command's, unless the first message is one already. */
function itemMessages(
  { messages, system }: ItemContent,
  settings: ResolvedSettings,
): readonly Message[] {
  const role = messages[0]?.role;
  const hasOne = role === 'system' || role === 'developer';
  const content = system ?? (hasOne ? undefined : settings.values.system);
  return content === undefined || content === ''
    ? messages
    : [{ role: 'system', content }, ...messages];
}

/** See `promptFingerprint`. */
export function itemFingerprint({ id, content }: BatchItem, settings: ResolvedSettings): bigint {
  return promptFingerprint(id, itemMessages(content, settings));
}

/** The settings with the model and the limit of an item that has its own. */
function itemSettings(
  { model, maxTokens }: ItemContent,
  settings: ResolvedSettings,
): ResolvedSettings {
  if (model === undefined && maxTokens === undefined) return settings;
  const { values } = settings;
  return {
    ...settings,
    values: {
      ...values,
      model: model ?? values.model,
      ...(maxTokens === undefined ? {} : { maxTokens }),
    },
  };
}

/** The request of an item, and how it fits. @throws Failure `invalid_request` if it cannot fit the model's window */
export function planItem(
  content: ItemContent,
  settings: ResolvedSettings,
  stream: boolean,
): PlannedRequest {
  const messages = itemMessages(content, settings);
  const planned = planRequest(
    itemSettings(content, settings),
    textMessages(messages),
    content.stream ?? stream,
  );
  return { ...planned, request: withContent(planned.request, content, messages) };
}

function withContent(
  request: CompletionRequest,
  { params }: ItemContent,
  messages: readonly Message[],
): CompletionRequest {
  return params === undefined
    ? { ...request, messages }
    : { ...request, messages, params: { ...request.params, ...params } };
}

/** What happens after a refusal: the item may be sent again, the run stops, or nothing was answered for too long. */
export type AfterRefusal = 'again' | 'stopped' | 'starved';

/** The permission to send the requests of one item. */
export interface Permission extends Pick<Throttle, 'onResponse' | 'onRefusal'> {
  /** Waits for the limits of the user. @returns false if the run stops; undefined if there is nothing to wait for */
  beforeRequest(): Promise<boolean> | undefined;
  /** Waits until the refused item may be sent again. */
  afterRefusal(): Promise<AfterRefusal>;
  /** @param tokens that the service reported; undefined without a report */
  end(isAnswered: boolean, tokens: number | undefined): void;
}

export interface SendOptions {
  readonly client: Client;
  /** Refuses or redacts secrets in prompts; undefined if they are not checked. */
  readonly guard?: SendingRun['guard'];
  /** Undefined if answers are not checked. */
  readonly check?: AnswerCheck | undefined;
  readonly settings: ResolvedSettings;
  readonly stream: boolean;
  /** Retries after a cut answer. The client never retries one, because it is billed twice. */
  readonly retryIncomplete: number;
  /** Cancels pending retries; running requests finish. */
  readonly stop: AbortSignal;
  /** Cancels running requests. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
}

/** The answer to an item, with all text that was received before a failure. */
export interface ItemOutcome extends Answer {
  readonly requestedModel: string;
  /** The service refused it, and has answered no other item for too long. */
  readonly isStarved: boolean;
  /** Undefined if it is not checked. */
  readonly checked?: CheckedFields;
}

/** One request of an item. */
class ItemAttempt implements Throttle {
  readonly #options: SendOptions;
  readonly #permission: Permission | undefined;
  readonly #cancellation = new AbortController();
  #isRefused = false;
  /** Monotonic time of the next retry, before which the end of the run cancels the request. */
  #retryAt = 0;

  constructor(options: SendOptions, permission: Permission | undefined) {
    const { signal, stop } = options;
    this.#options = options;
    this.#permission = permission;
    signal.addEventListener('abort', this.#cancel);
    stop.addEventListener('abort', this.#cancelRetry);
    if (signal.aborted) this.#cancel();
  }

  /** A 429 that may be sent again. */
  get isRefused(): boolean {
    return this.#isRefused;
  }

  async beforeRequest(): Promise<void> {
    const isAllowed = await this.#permission?.beforeRequest();
    if (isAllowed === false) this.#cancellation.abort(this.#options.stop.reason);
  }

  onResponse(response: Pick<HttpResponse, 'status' | 'headers'>): void {
    this.#permission?.onResponse(response);
  }

  onRefusal(retryAfter: number | undefined): void {
    this.#isRefused = true;
    this.#permission?.onRefusal(retryAfter);
  }

  async send({ request, redaction: guard }: GuardedRequest): Promise<Answer> {
    const { client, clock, stop, signal: caller } = this.#options;
    const { signal } = this.#cancellation;
    const options = this.#permission === undefined ? { signal } : { signal, throttle: this };
    try {
      return await ask(
        { send: () => client.chat(request, options), clock, signal, guard },
        {
          event: (event) => {
            if (event.type !== 'retry-scheduled') return undefined;
            this.#retryAt = clock.monotonic() + event.delay;
            this.#cancelRetry();
            return undefined;
          },
        },
      );
    } finally {
      caller.removeEventListener('abort', this.#cancel);
      stop.removeEventListener('abort', this.#cancelRetry);
    }
  }

  readonly #cancel = (): void => this.#cancellation.abort(this.#options.signal.reason);

  readonly #cancelRetry = (): void => {
    const { stop, clock } = this.#options;
    if (stop.aborted && clock.monotonic() < this.#retryAt) this.#cancellation.abort(stop.reason);
  };
}

/** One attempt, with hints of the command line. */
async function outcomeOf(
  attempt: ItemAttempt,
  guarded: GuardedRequest,
  settings: ResolvedSettings,
): Promise<ItemOutcome> {
  const answer = await attempt.send(guarded);
  const outcome = { ...answer, requestedModel: guarded.request.model, isStarved: false };
  if (answer.isStopped) return { ...outcome, failure: stoppedAnswer() };
  const { failure } = answer;
  return failure === undefined
    ? outcome
    : { ...outcome, failure: withRequestHint(failure, settings) };
}

/** The outcome of an item whose last attempt was refused, and which is not sent again. */
function refusedOutcome(outcome: ItemOutcome, attempts: number, isStarved: boolean): ItemOutcome {
  const { failure } = outcome;
  if (!isStarved || failure === undefined) {
    return { ...outcome, failure: stoppedAnswer(), isStopped: true };
  }
  const message =
    attempts === 1 ? failure.message : `${failure.message} (after ${attempts} attempts)`;
  return { ...outcome, failure: rephrase(failure, { message, attempts }), isStarved };
}

/** Keeps the longest text when a retry fails earlier than the attempt before. */
function longer(before: ItemOutcome | undefined, outcome: ItemOutcome): ItemOutcome {
  const { failure, content } = outcome;
  if (before === undefined || failure === undefined) return outcome;
  const { isStopped, isStarved } = outcome;
  return before.content.length > content.length
    ? { ...before, failure, isStopped, isStarved }
    : outcome;
}

async function sendRequest(
  options: SendOptions,
  guarded: GuardedRequest,
  permission: Permission | undefined,
): Promise<ItemOutcome> {
  let attempts = 0;
  let cuts = 0;
  let longest: ItemOutcome | undefined;
  for (;;) {
    const attempt = new ItemAttempt(options, permission);
    const outcome = await outcomeOf(attempt, guarded, options.settings);
    attempts += outcome.metadata.attempts ?? 1;
    longest = longer(longest, outcome);
    if (attempt.isRefused && !outcome.isStopped && permission !== undefined) {
      const next = await permission.afterRefusal();
      if (next === 'again') continue;
      longest = longer(longest, refusedOutcome(outcome, attempts, next === 'starved'));
    } else {
      const isCut = outcome.failure?.kind === 'incomplete' && !outcome.isStopped;
      cuts += 1;
      if (isCut && cuts <= options.retryIncomplete) continue;
    }
    if (longest.metadata.attempts === attempts) return longest;
    return { ...longest, metadata: { ...longest.metadata, attempts } };
  }
}

/** Without an answer that was cancelled before its text: the one before is the outcome. */
function withoutCancelled(answers: CheckedAnswers<ItemOutcome>): CheckedAnswers<ItemOutcome> {
  const { isStopped, content } = lastOf(answers).answer;
  const earlier = answers.slice(0, -1);
  const before = earlier.pop();
  const isMissing = isStopped && content === '';
  return isMissing && before !== undefined ? [...earlier, before] : answers;
}

/** Sends an item until its answer conforms. @param send sends until it is answered, or has failed for good */
export async function sendChecked(
  check: AnswerCheck,
  request: CompletionRequest,
  send: (messages: readonly Message[]) => Promise<ItemOutcome>,
  mayAskAgain: () => boolean,
): Promise<ItemOutcome> {
  const { model, messages } = request;
  const answers = withoutCancelled(
    await askUntilConforming({ check, messages, send, onMismatch: mayAskAgain }),
  );
  const last = lastOf(answers).answer;
  // The budget refused to ask again: the answer before has been paid for.
  const before = last.failure?.kind === 'budget' ? answers.at(-2)?.answer : undefined;
  return {
    ...(before ?? last),
    metadata: metadataOf(answers),
    failure: failureOf(check, answers),
    checked: checkedFields(answers, model),
  };
}

/**
 * Sends one item until it is answered, or has failed for good. Without a permission, the client retries after a 429.
 * @throws Failure for an item that cannot be sent, at once
 */
export function sendItem(
  options: SendOptions,
  content: ItemContent,
  permission: Permission | undefined,
): Promise<ItemOutcome> {
  const planned = planItem(content, options.settings, options.stream).request;
  const { check, stop, guard } = options;
  // All attempts send the same request, which has the same placeholders.
  const guarded = guard?.(planned) ?? { request: planned };
  const { request } = guarded;
  const send = (messages: readonly Message[]) =>
    sendRequest(options, { ...guarded, request: { ...request, messages } }, permission);
  if (check === undefined) return sendRequest(options, guarded, permission);
  return sendChecked(check, request, send, () => !stop.aborted);
}
