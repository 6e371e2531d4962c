import { textMessages } from '../../conversation/message-text.ts';
import type { CompletionRequest } from '../../client/contract.ts';
import type { Clock } from '../../clock.ts';
import type { AnswerFinished } from '../../client/events.ts';
import { suspectTruncation } from '../../conversation/prompt-truncation.ts';
import { estimateMessages, type TokenRatio, tokensFor } from '../../conversation/token-estimate.ts';
import { Failure } from '../../failure.ts';
import { appendToLedger } from '../../ledger/ledger-files.ts';
import type { LedgerLine, TokenCounts } from '../../ledger/ledger-line.ts';
import { resolveFolders } from '../../settings/folders.ts';
import type { Writable } from '../../writable.ts';
import type { BudgetGuard } from './budget-guard.ts';
import { maskText } from '../program/mask-secrets.ts';
import { createModelLearning } from './model-learning.ts';
import {
  beginRequest,
  stopped,
  watchEvent,
  type MeteredRequest,
  type MeterSources,
  type Send,
  type UsageMeter,
} from './metered-service.ts';

/** Milliseconds between two writes. */
const interval = 1000;
/** Lines of a write: those of a fast batch would take tens of megabytes in a second. */
const mostWaiting = 1000;
const longestModel = 200;

function outcomeOf(error: unknown): string {
  if (error === undefined) return 'answered';
  if (error === stopped) return 'stopped';
  return error instanceof Failure ? error.kind : 'unexpected';
}

/** For tokens that the service did not report. A refused prompt was not read, and costs nothing. */
function estimateOf(
  { request, received, isAccepted, finished }: MeteredRequest,
  ratio: TokenRatio | undefined,
): TokenCounts {
  const { prompt_tokens: input, completion_tokens: output } = finished?.usage ?? {};
  if (!isAccepted) return {};
  const counts: Writable<TokenCounts> = {};
  if (input === undefined)
    counts.prompt_tokens = estimateMessages(textMessages(request.messages), ratio);
  if (output === undefined) counts.completion_tokens = tokensFor(received, ratio);
  return counts;
}

/** The time in UTC, with one formatting for each millisecond: it takes as long as parsing a chunk. */
export function createTimeText({ date }: Pick<Clock, 'date'>): () => string {
  let last = { milliseconds: Number.NaN, text: '' };
  return () => {
    const now = date();
    const milliseconds = now.getTime();
    if (milliseconds !== last.milliseconds) last = { milliseconds, text: now.toISOString() };
    return last.text;
  };
}

/** What the lines of a run have in common. */
interface LineSources extends MeterSources {
  readonly isSandbox: boolean;
  readonly time: () => string;
}

function lineOf(
  { context, settings, source, isSandbox, time }: LineSources,
  seen: MeteredRequest,
  error: unknown,
  attemptsBefore: number,
): LedgerLine {
  const { clock, secrets } = context;
  const { finished, request, start } = seen;
  const estimated = estimateOf(seen, settings.ratios?.get(request.model));
  const attempts = finished?.attempts ?? (error instanceof Failure ? error.attempts : undefined);
  return {
    time: time(),
    command: source.command,
    profile: settings.profile.value,
    // A key that was typed as the model must not be stored.
    model: maskText(secrets, request.model).slice(0, longestModel),
    prompt_tokens: finished?.usage?.prompt_tokens ?? null,
    completion_tokens: finished?.usage?.completion_tokens ?? null,
    estimated: Object.keys(estimated).length > 0 ? estimated : undefined,
    ms: Math.round(finished?.timing.total ?? clock.monotonic() - start),
    outcome: outcomeOf(error),
    attempts: (attempts ?? seen.attempts) + attemptsBefore,
    conversation: source.conversation?.() ?? null,
    batch: source.batch ?? null,
    sandbox: isSandbox ? true : undefined,
  };
}

/** Writes lines together, at least every second and every {@link mostWaiting} lines; a failed write is one warning of the run. */
function createLedgerWriter(
  { context, notices }: MeterSources,
  onLost: (lines: readonly LedgerLine[]) => void,
) {
  const { state } = resolveFolders(context);
  let waiting: LedgerLine[] = [];
  let stopTimer: (() => void) | undefined;
  let hasFailed = false;
  function flush(): void {
    const lines = waiting;
    waiting = [];
    stopTimer?.();
    stopTimer = undefined;
    if (lines.length === 0 || state === undefined) return;
    try {
      appendToLedger(state, lines);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (!hasFailed) {
        notices.warning(`not in the ledger: ${reason}; NATTER_LEDGER=false turns the ledger off`);
      }
      hasFailed = true;
      onLost(lines);
    }
  }
  return {
    flush,
    add(line: LedgerLine): void {
      waiting.push(line);
      stopTimer ??= context.clock.repeat(interval, flush);
      if (waiting.length === mostWaiting) flush();
    },
  };
}

/** Sends an admitted prompt, with a meter. */
function sendAdmitted(
  { finish, end }: Pick<UsageMeter, 'finish' | 'end'>,
  clock: Clock,
  send: Send,
  [request, take, options]: Parameters<Send>,
): Promise<void> {
  const seen = beginRequest(clock, request, options);
  const takeEvent: typeof take = (event) => {
    watchEvent(seen, event);
    return take(event.type === 'answer-finished' ? finish(seen, event) : event);
  };
  return send(request, takeEvent, options).then(
    () => end(seen, undefined),
    (error: unknown) => {
      end(seen, options?.signal?.aborted === true ? stopped : error);
      throw error;
    },
  );
}

/** Sends a prompt, with a meter. */
function sendMetered(
  meter: Pick<UsageMeter, 'admit' | 'finish' | 'end'>,
  { clock }: Pick<MeterSources['context'], 'clock'>,
  send: Send,
  words: Parameters<Send>,
): Promise<void> {
  const admitted = meter.admit(words[0]);
  if (admitted === undefined) return sendAdmitted(meter, clock, send, words);
  return admitted.then(() => sendAdmitted(meter, clock, send, words));
}

/** Loads the guard of a budget with the first request; nothing without one. */
function createLazyGuard(sources: MeterSources, isSandbox: boolean, flush: () => void) {
  const { budget } = sources.settings.values;
  let guard: BudgetGuard | undefined;
  let opening: Promise<BudgetGuard | undefined> | undefined;
  const open = async (text: string) => {
    const { createBudgetGuard } = await import('./budget-guard.ts');
    return createBudgetGuard({ ...sources, isSandbox, flush }, text);
  };
  const admitWithin = async (text: string, request: CompletionRequest): Promise<void> => {
    guard = await (opening ??= open(text));
    await guard?.admit(request);
  };
  return {
    loaded: () => guard,
    admit: (request: CompletionRequest) =>
      budget === undefined ? undefined : admitWithin(budget, request),
  };
}

export function createUsageMeter(sources: MeterSources, isSandbox: boolean): UsageMeter {
  const writer = createLedgerWriter(sources, (lines) => guard.loaded()?.keep(lines));
  const guard = createLazyGuard(sources, isSandbox, writer.flush);
  const learning = createModelLearning(sources, isSandbox);
  const { ratios } = sources.settings;
  const isKept = sources.settings.values.ledger;
  const lineSources = { ...sources, isSandbox, time: createTimeText(sources.context.clock) };
  /** The last refusals of requests that their caller sends again. */
  const refused = new Map<unknown, LedgerLine>();
  const meter: Pick<UsageMeter, 'admit' | 'finish' | 'end'> = {
    admit: (request) => guard.admit(request),
    finish({ request }, event: AnswerFinished) {
      const counted = event.usage?.prompt_tokens;
      if (counted === undefined) return event;
      const messages = textMessages(request.messages);
      learning?.answered({ ...request, messages }, counted);
      const estimate = suspectTruncation(messages, counted, ratios?.get(request.model));
      return estimate === undefined ? event : { ...event, estimatedPromptTokens: estimate };
    },
    end(seen, error) {
      if (error !== undefined) learning?.refused(seen.request, error);
      if (!isKept) return;
      const { request, isThrottled } = seen;
      const line = lineOf(lineSources, seen, error, refused.get(request)?.attempts ?? 0);
      if (refused.size > 0) refused.delete(request);
      guard.loaded()?.settle(request, line);
      if (isThrottled && line.outcome === 'rate_limited') refused.set(request, line);
      else writer.add(line);
    },
  };
  return {
    ...meter,
    send: (send, words) => sendMetered(meter, sources.context, send, words),
    close() {
      for (const line of refused.values()) writer.add(line);
      refused.clear();
      writer.flush();
      learning?.close();
    },
  };
}
