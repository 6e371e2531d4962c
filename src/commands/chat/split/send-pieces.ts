import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createCircuitBreaker } from '../../../batch/circuit-breaker.ts';
import { fingerprint, formatFingerprint } from '../../../batch/fingerprint.ts';
import type { BatchItem, InputItem } from '../../../batch/input/item.ts';
import { runItems } from '../../../batch/run-items.ts';
import { emptyTally, type Tally } from '../../../batch/tally.ts';
import { Failure } from '../../../failure.ts';
import { isJsonObject, parseJson } from '../../../json.ts';
import { count, countOf } from '../../../output/figures.ts';
import { resolveFolders } from '../../../settings/folders.ts';
import type { ResolvedSettings } from '../../../settings/resolved-settings.ts';
import { makePrivateFolder, removeFile } from '../../../storage/files.ts';
import { readLines } from '../../../storage/read-lines.ts';
import { type BatchSink, openResultSink } from '../../batch/output/sink.ts';
import { showProgress } from '../../batch/report/show-progress.ts';
import { maxWaitOf, openAdmission, pauseNotice } from '../../batch/sending/open-admission.ts';
import { type ItemProcessing, processItem } from '../../batch/sending/process-item.ts';
import type { BatchFallback, BatchFallbackOptions } from '../../batch/sending/fallback.ts';
import { itemFingerprint, type SendOptions } from '../../batch/sending/send-item.ts';
import type { Presentation } from '../../print/presentation.ts';
import type { Context } from '../../program/context.ts';
import type { Service } from '../../service/service.ts';

/** The answer for one piece. */
export interface PieceAnswer {
  /** From 1; requests that combine answers have the numbers after those of the pieces. */
  readonly number: number;
  readonly content: string;
  readonly usage: unknown;
}

/** Sends prompts, and keeps their answers until the whole prompt is answered. */
export interface PieceSender {
  /** Answers of an earlier run. */
  readonly already: number;
  /** @returns the answers in the order of the prompts @throws Failure for pieces that failed */
  send(prompts: readonly string[]): Promise<readonly PieceAnswer[]>;
  /** @param isComplete the answers are no longer needed */
  close(isComplete: boolean): Promise<void>;
}

export interface SenderOptions {
  readonly context: Context;
  readonly options: BatchFallbackOptions['options'];
  readonly presentation: Presentation;
  readonly settings: ResolvedSettings;
  readonly service: Service;
  readonly stream: boolean;
  readonly isQuiet: boolean;
  /** Of `--strict`. */
  readonly isStrict: boolean;
  /** Identifies the command, so that the same one continues. */
  readonly identity: readonly string[];
}

const command = 'natter --split';
const plan = { concurrency: 4, rateLimits: { requests: undefined, tokens: undefined } };

/** Where the answers are kept; undefined if nothing is saved. */
function fileOf({ context, settings, identity }: SenderOptions): string | undefined {
  const { state } = resolveFolders(context);
  if (state === undefined || !settings.values.save) return undefined;
  const folder = join(state, 'split');
  makePrivateFolder(folder);
  return join(folder, `${formatFingerprint(fingerprint(JSON.stringify(identity)))}.jsonl`);
}

interface KeptAnswer extends PieceAnswer {
  readonly hash: unknown;
}

function parseAnswer(line: string): KeptAnswer | undefined {
  const value = parseJson(line);
  if (!isJsonObject(value) || value['error'] !== undefined) return undefined;
  const { index, content, usage, prompt_hash: hash } = value;
  if (typeof index !== 'number' || typeof content !== 'string') return undefined;
  return { number: index, content, usage, hash };
}

function readKept(file: string | undefined): Map<number, KeptAnswer> {
  const kept = new Map<number, KeptAnswer>();
  if (file === undefined || !existsSync(file)) return kept;
  for (const lines of readLines(file)) {
    for (const line of lines) {
      const answer = parseAnswer(line);
      if (answer !== undefined) kept.set(answer.number, answer);
    }
  }
  return kept;
}

const itemOf = (prompt: string, index: number): BatchItem => {
  const content = { messages: [{ role: 'user' as const, content: prompt }] };
  return { index, line: index, id: undefined, content };
};

function failureOf({ failed, causes, examples }: Tally, total: number): Failure {
  const [first] = examples.values();
  const { kind, message } = first?.failure ?? {};
  const text = `${count(failed)} of ${count(total)} pieces failed; the first: ${message}`;
  return new Failure((causes.size === 1 ? kind : undefined) ?? 'unexpected', text, {
    hint: 'run the same command again to send only what is missing',
  });
}

function processingOf(
  { context, presentation, settings, service, isStrict }: SenderOptions,
  { sending, fallback }: Pick<ItemProcessing, 'sending' | 'fallback'>,
  sink: BatchSink,
  tally: Tally,
  stopRun: ItemProcessing['stopRun'],
): ItemProcessing {
  const { secrets } = context;
  const isReplay = service.replayedFrom !== undefined;
  return {
    secrets,
    sink,
    tally,
    sending,
    circuitBreaker: createCircuitBreaker({ most: 10, maxWait: maxWaitOf(settings), isReplay }),
    fallback,
    isStrict,
    warnTruncated: (warning) => presentation.notices.warning(warning),
    stopRun,
  };
}

function sendingOf(
  { context: { clock, signal }, settings, service, stream }: SenderOptions,
  stop: AbortSignal,
): SendOptions {
  return { ...service, settings, stream, retryIncomplete: 1, stop, signal, clock };
}

async function openFallback(
  options: SenderOptions,
  sending: SendOptions,
  warn: (text: string) => void,
): Promise<BatchFallback | undefined> {
  if (options.settings.values.fallback === undefined) return undefined;
  const { openBatchFallback } = await import('../../batch/sending/fallback.ts');
  return openBatchFallback({ ...options, sending, warn });
}

/** @throws Failure `budget` for pieces that were not sent because of it */
async function sendItems(
  options: SenderOptions,
  items: readonly InputItem[],
  sink: BatchSink,
): Promise<Tally> {
  const { context, presentation, settings, service } = options;
  const tally = { ...emptyTally(), total: items.length };
  const failing = new AbortController();
  const stop = AbortSignal.any([context.signal, failing.signal]);
  const onPause = pauseNotice(presentation);
  const admission = openAdmission({ plan, settings, onPause }, service, stop);
  const sending = sendingOf(options, stop);
  const progress = showProgress({ ...options, command, tally }, admission, stop);
  const warn = (text: string) => {
    progress.clear();
    presentation.notices.warning(text);
  };
  const fail = (failure: Failure) => failing.abort(failure);
  let fallback: BatchFallback | undefined;
  try {
    fallback = await openFallback(options, sending, warn);
    const processing = processingOf(options, { sending, fallback }, sink, tally, fail);
    await runItems({
      items: async function* all() {
        yield items;
      },
      admit: (...next) => admission.admit(...next),
      stop,
      room: () => undefined,
      work: (...next) => processItem(processing, ...next),
    });
  } finally {
    progress.end();
    await fallback?.close();
  }
  context.signal.throwIfAborted();
  const { reason }: { readonly reason: unknown } = failing.signal;
  if (reason instanceof Failure && reason.kind === 'budget') throw reason;
  return tally;
}

/** Keeps answers in memory, and in the file if there is one. */
function keepingSink(kept: Map<number, KeptAnswer>, saved: BatchSink | undefined): BatchSink {
  return {
    find: () => undefined,
    last: 0,
    admit: (blocks) => blocks,
    room: () => undefined,
    broken: saved?.broken ?? new AbortController().signal,
    finish: async () => undefined,
    close: async () => saved?.close(),
    put(sequence, item, result, line) {
      const answer = parseAnswer(line);
      if (answer !== undefined) kept.set(answer.number, answer);
      return saved?.put(sequence, item, result, line);
    },
  };
}

/** @throws Failure if the answers cannot be kept */
export async function openPieceSender(options: SenderOptions): Promise<PieceSender> {
  const { context, presentation, settings } = options;
  const file = fileOf(options);
  const kept = readKept(file);
  const saving = file === undefined ? undefined : { output: file, mode: 0o600 };
  const sink = keepingSink(
    kept,
    saving && (await openResultSink(context, presentation.notices, saving)),
  );
  let sent = 0;
  return {
    already: kept.size,
    async send(prompts) {
      const items = prompts.map((prompt, index) => itemOf(prompt, sent + index + 1));
      sent += prompts.length;
      const isKept = (item: BatchItem) =>
        kept.get(item.index)?.hash === formatFingerprint(itemFingerprint(item, settings));
      const missing = items.filter((item) => !isKept(item));
      for (const { index } of missing) kept.delete(index);
      const tally = await sendItems(options, missing, sink);
      if (items.some((item) => !isKept(item))) throw failureOf(tally, items.length);
      return items.map(({ index }) => kept.get(index) as PieceAnswer);
    },
    async close(isComplete) {
      await sink.close();
      const isStopped = !isComplete && context.signal.aborted;
      if (isStopped && file !== undefined && kept.size > 0) {
        const answers = countOf(kept.size, 'answer');
        const text = `${answers} kept; run the same command again to send the rest`;
        presentation.notices.notice(text);
      }
      if (isComplete && file !== undefined) removeFile(file);
    },
  };
}
