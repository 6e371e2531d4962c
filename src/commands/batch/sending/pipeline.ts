// The pipeline of items, the same for a file and for a queue: admission, request, count, result.

import { estimateRequest } from '../../../usage/budget.ts';
import type { ResolvedSettings } from '../../../settings/resolved-settings.ts';
import { CircuitBreaker } from '../../../batch/circuit-breaker.ts';
import type { BatchItem, InputItem, ItemContent } from '../../../batch/input/item.ts';
import { Admission, type Permission } from '../../../batch/admission.ts';
import { runItems } from '../../../batch/run-items.ts';
import { countFailure, type Tally } from '../../../batch/tally.ts';
import { failureLine, outcomeLine, unsendable } from '../output/result.ts';
import type { SendingRun } from '../plan.ts';
import { showProgress } from '../report/progress.ts';
import type { Ending } from '../report/summary.ts';
import {
  itemFingerprint,
  type ItemOutcome,
  planItem,
  sendItem,
  type SendOptions,
} from './send-item.ts';
import { type Stopping, watchStopping } from '../stopping.ts';
import { withRequestHint } from '../../../cli/report.ts';
import type { Failure } from '../../../failure.ts';
import { toFailure } from '../../../output/ending-failure.ts';
import { truncationFailure, truncationWarning } from '../../../output/notices.ts';
import {
  askModels,
  type Chain,
  chooseModel,
  type FallbackModel,
  chainClients,
  fallbackModels,
} from '../../../ask/fallback.ts';
import { count } from '../../../output/figures.ts';

/** Sends items to the next model when the batch has given up on the one before. */
interface BatchFallback {
  /** @throws Failure for an item that cannot be sent */
  send(content: ItemContent, permission: Permission): Promise<ItemOutcome>;
  close(): Promise<void>;
}

/** For the next models, without a model of the item's own. */
const contentFor = (content: ItemContent, isFirst: boolean): ItemContent => {
  const { model: _model, ...rest } = content;
  return isFirst ? content : rest;
};

/** @throws Failure `invalid_request` with hints for an item that cannot fit, and others that no model can cure */
function planFor(content: ItemContent, { settings }: FallbackModel, stream: boolean) {
  try {
    return planItem(content, settings, stream);
  } catch (error) {
    throw withRequestHint(toFailure(error), settings);
  }
}

/**
 * Undefined without `fallback`, and with a check: its option is refused, and a notice reports the setting.
 * @throws Failure for a profile without a service
 */
function openFallback(
  run: SendingRun,
  sending: SendOptions,
  warn: (text: string) => void,
): BatchFallback | undefined {
  const { settings, check, service } = run;
  if (settings.values.fallback === undefined) return undefined;
  if (check !== undefined) {
    run.presentation.notices.notice(
      'the setting fallback does not apply to a batch with checked answers',
    );
    return undefined;
  }
  const models = fallbackModels(run);
  const clients = chainClients(service, run);
  /** How often items went from one model to another. */
  const steps = new Map<string, number>();
  const onStep: Chain['onStep'] = (failed, next, text) => {
    const step = `${failed.label} to ${next.label}`;
    const before = steps.get(step) ?? 0;
    steps.set(step, before + 1);
    if (before === 0) warn(text);
  };
  return {
    async send(item, permission) {
      const chain: Chain = {
        models,
        plan: (model, isFirst) => planFor(contentFor(item, isFirst), model, sending.stream),
        onStep,
      };
      return askModels(chain, chooseModel(chain), async ({ model, failed }) => {
        const isFirst = failed.length === 0;
        const content = contentFor(item, isFirst);
        if (isFirst) return sendItem(sending, content, permission);
        // The limits that a batch learns are those of the first service: the client of this one waits and retries itself.
        const own = { ...sending, client: await clients.of(model), settings: model.settings };
        return sendItem(own, content, undefined);
      });
    },
    async close() {
      for (const [step, number] of steps) {
        if (number > 1) warn(`${count(number)} items fell back from ${step}`);
      }
      await clients.close();
    },
  };
}

/** How an item ended. */
interface ItemEnd {
  /** The result in natter's own format; undefined if nothing was received, and the item is sent again later. */
  readonly line: string | undefined;
  /** Undefined for an item that cannot be sent. */
  readonly fingerprint: bigint | undefined;
  readonly failure: Failure | undefined;
  /** The run stops, because of this failure or another reason. */
  readonly isStopped: boolean;
  /** The service refused it, and has answered no other item for too long. */
  readonly isStarved: boolean;
}

/** Where items come from, and where their results go. */
export interface ItemSource<Item extends InputItem> {
  /** Until `ended` aborts. */
  items(ended: AbortSignal): AsyncIterable<Item>;
  /** A promise while no result can be taken. */
  room(): Promise<void> | undefined;
  /** Takes an item before it is sent. @returns whether it has an answer meanwhile */
  take?(item: Item): Promise<boolean>;
  /** Whether a failed item is given out again in this run, so that its failure does not count. */
  triesAgain?(item: Item, end: ItemEnd): boolean;
  /** Saves the result. @param sequence number of the item in start order, from 0 */
  end(item: Item, sequence: number, end: ItemEnd): Promise<void> | undefined;
}

/** A run that is sending. */
interface Pipeline {
  readonly run: SendingRun;
  readonly sending: SendOptions;
  readonly stopping: Stopping;
  readonly circuitBreaker: CircuitBreaker;
  readonly fallback: BatchFallback | undefined;
  readonly warn: (text: string) => void;
}

/** Minimum consecutive failures that stop a run; more with higher concurrency. */
const minFailures = 10;

/** Milliseconds; `Infinity` without a limit. */
const maxWaitOf = ({ values }: ResolvedSettings): number => values.retryMaxWait || Infinity;

function openCircuitBreaker({ plan, settings, service, options, tally }: SendingRun) {
  const most = Math.max(minFailures, 2 * plan.concurrency);
  return new CircuitBreaker({
    most,
    maxWait: maxWaitOf(settings),
    isReplay: service.replayedFrom !== undefined,
    mostAlike: options.keepGoing === true ? Infinity : most,
    hasAnswers: () => tally.already > 0,
  });
}

function openAdmission(run: SendingRun, stop: AbortSignal): Admission {
  const { plan, settings, service, onPause } = run;
  const nothing = { prompt: 0, answer: 0 };
  return new Admission({
    clock: service.clock,
    most: plan.concurrency,
    rateLimits: plan.rateLimits,
    retries: settings.values.retries,
    maxWait: maxWaitOf(settings),
    stop,
    estimate({ content }) {
      if (plan.rateLimits.tokens === undefined || content === undefined) return nothing;
      try {
        return estimateRequest(planItem(content, settings, false).request);
      } catch {
        // An item that cannot be sent: sending it reports why.
        return nothing;
      }
    },
    onPause,
  });
}

/**
 * Counts a prompt that was probably cut, and warns about the first one.
 * @returns the outcome; with `--strict` a failure, whose text is kept
 */
export function noteTruncation(
  outcome: ItemOutcome,
  tally: Tally,
  isStrict: boolean,
  warn: (text: string) => void,
): ItemOutcome {
  const { metadata, failure } = outcome;
  if (metadata.estimatedPromptTokens === undefined) return outcome;
  tally.truncated += 1;
  if (tally.truncated === 1) {
    warn(`${truncationWarning(metadata)} (results have truncated_suspected)`);
  }
  if (!isStrict || failure !== undefined) return outcome;
  return { ...outcome, failure: truncationFailure(metadata) };
}

/** Whether natter has sent no request, because of a budget or of a setting that all items have in common. */
const isUnsent = ({ kind, attempts }: Failure): boolean =>
  kind === 'budget' || (kind === 'configuration' && attempts === undefined);

/** Counts requests and their tokens, which are billed also if the answer failed, and an answer with its times. */
function countAnswer(tally: Tally, { failure, metadata }: ItemOutcome): void {
  const { usage, attempts = 1, timing } = metadata;
  tally.tokens += usage?.total_tokens ?? 0;
  tally.promptTokens += usage?.prompt_tokens ?? 0;
  tally.completionTokens += usage?.completion_tokens ?? 0;
  tally.attempts += attempts;
  if (failure !== undefined) return;
  tally.answered += 1;
  if (timing !== undefined) tally.latency.push(timing.total);
  if (timing?.firstText !== undefined) tally.firstText.push(timing.firstText);
}

/** @param isFinal the item is not tried again in this run */
function endOf(
  { run, circuitBreaker, stopping }: Pipeline,
  item: BatchItem,
  fingerprint: bigint,
  outcome: ItemOutcome,
  isFinal: boolean,
): ItemEnd {
  const { context, tally } = run;
  const { failure, content, isStopped, isStarved } = outcome;
  const isRefused = failure !== undefined && isUnsent(failure);
  if (isRefused) stopping.fail(failure);
  // Cancelled or refused before any text: without a result, it is sent again later.
  if ((isRefused || isStopped) && content === '') {
    return { line: undefined, fingerprint, failure, isStopped: true, isStarved };
  }
  countAnswer(tally, outcome);
  let stops = isStopped || isRefused;
  if (failure === undefined) circuitBreaker.answered();
  else if (!stops) {
    stops = (isStarved && isFinal) || circuitBreaker.failed(failure);
    if (stops) stopping.fail(failure);
  }
  const line = outcomeLine(context.secrets, item, fingerprint, outcome);
  return { line, fingerprint, failure, isStopped: stops, isStarved };
}

/** An item that could not be sent. */
function unsentEnd(
  { context }: SendingRun,
  item: InputItem,
  fingerprint: bigint | undefined,
  failure: Failure,
): ItemEnd {
  const line = failureLine(context.secrets, item, fingerprint, failure);
  return { line, fingerprint, failure, isStopped: false, isStarved: false };
}

/** Sends an item, and ends its permission. */
async function answerItem(
  pipeline: Pipeline,
  item: BatchItem,
  permission: Permission,
  isFinal: boolean,
): Promise<ItemEnd> {
  const { run, sending, fallback, warn } = pipeline;
  const fingerprint = itemFingerprint(item, run.settings);
  let outcome: ItemOutcome;
  try {
    outcome = await (fallback?.send(item.content, permission) ??
      sendItem(sending, item.content, permission));
  } catch (error) {
    permission.end(false, undefined);
    return unsentEnd(run, item, fingerprint, withRequestHint(toFailure(error), run.settings));
  }
  outcome = noteTruncation(outcome, run.tally, run.options.strict === true, warn);
  const end = endOf(pipeline, item, fingerprint, outcome, isFinal);
  const tokens = end.line === undefined ? undefined : outcome.metadata.usage?.total_tokens;
  permission.end(end.failure === undefined, tokens);
  return end;
}

/** @throws Failure `storage` if the result cannot be saved */
async function processItem<Item extends InputItem>(
  pipeline: Pipeline,
  source: ItemSource<Item>,
  item: Item,
  sequence: number,
  permission: Permission,
): Promise<void> {
  const { run } = pipeline;
  if (await source.take?.(item)) return permission.end(false, undefined);
  const isFinal = source.triesAgain === undefined;
  const end =
    item.problem === undefined
      ? await answerItem(pipeline, item, permission, isFinal)
      : unsentEnd(run, item, undefined, unsendable(item));
  const { failure, line } = end;
  const isCounted = failure !== undefined && line !== undefined;
  if (isCounted && source.triesAgain?.(item, end) !== true) {
    countFailure(run.tally, failure, item);
  }
  await source.end(item, sequence, end);
}

/** Sends the items of a source until all have ended, or the run stops. */
export type SendItems = <Item extends InputItem>(source: ItemSource<Item>) => Promise<void>;

/**
 * Sends items, and says how that ended. Never throws.
 * @param work sends the items of one source, or of several one after the other
 * @param finish is called when all have ended @param finish.elapsed milliseconds since the start
 */
export async function runUntilEnd(
  run: SendingRun,
  work: (send: SendItems, stopping: Stopping) => Promise<void>,
  finish: (stopping: Stopping, elapsed: () => number) => Promise<Ending>,
): Promise<Ending> {
  const { context, presentation, plan, settings, service } = run;
  const { clock } = context;
  const start = clock.monotonic();
  const elapsed = () => clock.monotonic() - start;
  const stopping = watchStopping(run, () => progress.clear());
  const { stop, halt } = stopping;
  const admission = openAdmission(run, stop);
  const progress = showProgress(run, admission, stop);
  const warn = (text: string) => {
    progress.clear();
    presentation.notices.warning(text);
  };
  const sending: SendOptions = {
    client: service.client,
    guard: run.guard,
    check: run.check,
    settings,
    stream: run.stream,
    retryIncomplete: plan.retryIncomplete,
    stop,
    signal: stopping.cancel,
    clock,
  };
  let fallback: BatchFallback | undefined;
  try {
    try {
      fallback = openFallback(run, sending, warn);
      const circuitBreaker = openCircuitBreaker(run);
      const pipeline = { run, sending, stopping, circuitBreaker, fallback, warn };
      const send: SendItems = (source) =>
        runItems({
          items: source.items(stop),
          admit: (item, sequence) => admission.admit(item, sequence),
          room: () => source.room(),
          work: (...next) => processItem(pipeline, source, ...next),
          stop,
          halt,
        });
      await work(send, stopping);
    } finally {
      progress.end();
      await fallback?.close();
      stopping.end();
    }
    return await finish(stopping, elapsed);
  } catch (error) {
    return { elapsed: elapsed(), stoppedBy: null, notice: undefined, error };
  }
}
