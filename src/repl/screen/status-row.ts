import { tokenText } from '../../output/figures.ts';
import { sanitizeLine } from '../../terminal/safety/sanitizer.ts';
import { displayWidth } from '../../terminal/text/width.ts';
import { keyOf, neededKeyOf } from '../composer/keys/key-bindings.ts';
import { isEmpty } from '../composer/text-buffer.ts';
import type { ReplState } from '../state.ts';
import { stalledSeconds, durationText } from '../text/status-text.ts';
import type { Symbols } from '../text/symbols.ts';
import { typesText } from '../composer/vi/vi-keys.ts';
import { fittingParts, shorten, type LinePart } from './fit-parts.ts';
import type { Appearance } from './Rows.tsx';

/** Current activity; `idle` shows no row. */
export type Status =
  | { readonly phase: 'idle' }
  /** The request was sent; no response yet. */
  | { readonly phase: 'waiting'; readonly model: string; readonly seconds: number }
  | {
      readonly phase: 'streaming';
      readonly model: string;
      /** Since the request was sent. */
      readonly seconds: number;
      /** Counts the answer so far. */
      readonly tokens: number;
      /** The count is an estimate; absent if the service reported it. */
      readonly isEstimate?: boolean;
      /** Seconds without data, if stalled. */
      readonly stalled?: number | undefined;
    }
  | {
      readonly phase: 'retrying';
      readonly model: string;
      /** One sentence, such as `the service answered 503`. */
      readonly cause: string;
      readonly secondsLeft: number;
      /** Number of the next retry, from 1. */
      readonly retry: number;
      readonly retries: number;
      /** Enter ends the wait: the composer is empty. */
      readonly canHurry: boolean;
    }
  /** A task, such as `listing models`. */
  | { readonly phase: 'working'; readonly task: string; readonly seconds: number }
  /** Stopped by the user but not ended yet. */
  | { readonly phase: 'stopping' };

const secondsBetween = (from: number, to: number) => Math.max(0, Math.floor((to - from) / 1000));

export function statusOf({ activity, now, composer, host }: ReplState): Status {
  if (activity === undefined) return { phase: 'idle' };
  if (activity.isStopping) return { phase: 'stopping' };
  const seconds = secondsBetween(activity.since, now);
  if (activity.type === 'task') return { phase: 'working', task: activity.name, seconds };
  const model = sanitizeLine(host ?? activity.model);
  const { retry, phase, tokens } = activity;
  if (phase === 'retrying' && retry !== undefined) {
    const secondsLeft = Math.max(0, Math.ceil((retry.at - now) / 1000));
    const cause = sanitizeLine(retry.cause);
    const { retry: number, retries } = retry;
    return {
      phase,
      model,
      cause,
      secondsLeft,
      retry: number,
      retries,
      canHurry: isEmpty(composer),
    };
  }
  return phase === 'streaming'
    ? { phase, model, seconds, tokens, isEstimate: true, stalled: stalledSeconds(activity, now) }
    : { phase: 'waiting', model, seconds };
}

/** The keys that stop an answer, if they are not just Esc. */
function stopKeysOf({ keyMap, vi }: ReplState): string | undefined {
  const key = keyOf('stop', keyMap);
  if (key !== 'Esc') return key ?? neededKeyOf('interrupt', keyMap);
  return vi !== undefined && typesText(vi) ? 'Esc Esc' : undefined;
}

type Paint = (text: string) => string;

const stopHint: LinePart = { text: 'Esc stops', priority: 1, isHint: true };
const stalledHint: LinePart = { text: 'Esc stops and keeps the text', priority: 3, isHint: true };
/** Columns that the longer hint needs. */
const stalledColumns = 50;
const giveUpHint: LinePart = { text: 'Esc gives up', priority: 1, isHint: true };
const hurryHint: LinePart = { text: 'Enter retries now', priority: 2, isHint: true };
const shortHurryHint: LinePart = { text: 'Enter now', priority: 2, isHint: true };

type Retrying = Extract<Status, { phase: 'retrying' }>;

/** Columns below which a shortened task or model means nothing. */
const minTaskColumns = 12;
/** Columns below which a shortened cause means nothing. */
const minCauseColumns = 10;
/** Columns of the cause that matter more than the hints. */
const usefulCauseColumns = 16;

/** The countdown is never shortened; in narrow windows, the number of the retry is left out. */
function retryParts(status: Retrying, symbols: Symbols, columns: number): readonly LinePart[] {
  const wait = status.secondsLeft > 0 ? `in ${durationText(status.secondsLeft)}` : 'now';
  const retry: LinePart = {
    text: `retry ${status.retry} of ${status.retries} ${wait}`,
    priority: 3,
  };
  const shortRetry: LinePart = { text: `retry ${wait}`, priority: 3 };
  const roomBefore = (rest: readonly LinePart[]) =>
    columns - displayWidth(['', ...rest.map(({ text }) => text)].join(symbols.dot));
  const wanted = Math.min(usefulCauseColumns, displayWidth(status.cause));
  const isWaiting = status.canHurry && status.secondsLeft > 0;
  const hints = isWaiting ? [hurryHint, giveUpHint] : [giveUpHint];
  const choices = [
    [retry, ...hints],
    [retry, ...hints.slice(0, 1)],
    [shortRetry, ...hints.slice(0, 1)],
  ];
  const short: readonly LinePart[] = [shortRetry, isWaiting ? shortHurryHint : giveUpHint];
  const others = choices.find((parts) => roomBefore(parts) >= wanted) ?? short;
  const room = roomBefore(others);
  if (room < minCauseColumns) return [shortRetry, ...hints];
  return [{ text: shorten(status.cause, room, symbols), priority: 0 }, ...others];
}

/** `origin · waiting 1 s`. */
function waitingParts({ model, seconds }: Extract<Status, { phase: 'waiting' }>) {
  const time = seconds > 0 ? `waiting ${durationText(seconds)}` : 'waiting';
  return [
    { text: model, priority: 2, minColumns: minTaskColumns },
    { text: time, priority: 3 },
    stopHint,
  ];
}

function workingParts({ task, seconds }: Extract<Status, { phase: 'working' }>) {
  const time = seconds > 0 ? durationText(seconds) : '';
  return [
    { text: task, priority: 3, minColumns: minTaskColumns },
    { text: time, priority: 2 },
    stopHint,
  ];
}

function partsOf(
  status: Exclude<Status, { phase: 'idle' }>,
  symbols: Symbols,
  columns: number,
): readonly LinePart[] {
  switch (status.phase) {
    case 'waiting':
      return waitingParts(status);
    case 'working':
      return workingParts(status);
    case 'streaming':
      return [
        { text: status.model, priority: 2 },
        { text: durationText(status.seconds), priority: 0 },
        { text: stallText(status), priority: 4 },
        {
          text: tokenText(status.tokens, status.isEstimate),
          // For a stalled answer, the key that stops it matters more.
          priority: status.stalled === undefined ? 3 : 0,
        },
        status.stalled === undefined || columns < stalledColumns ? stopHint : stalledHint,
      ];
    case 'retrying':
      return retryParts(status, symbols, columns);
    case 'stopping':
    default:
      return [{ text: 'stopping', priority: 1 }];
  }
}

function stallText({ stalled }: Extract<Status, { phase: 'streaming' }>): string {
  return stalled === undefined ? '' : `nothing for ${durationText(stalled)}`;
}

/** Rounds an estimate, so that the number does not flicker. */
function roundEstimate(status: Status): Status {
  if (status.phase !== 'streaming' || status.isEstimate !== true) return status;
  const { tokens } = status;
  if (tokens < 10) return { ...status, tokens: Math.ceil(tokens) };
  const step = tokens < 1000 ? 10 : 50;
  return { ...status, tokens: Math.round(tokens / step) * step };
}

/** Milliseconds of a frame of the spinner. */
export const spinnerPace = 100;

function spinnerOf({ spinner }: Symbols, now: number): string {
  return spinner[Math.floor(now / spinnerPace) % spinner.length] ?? '';
}

/** Keys are brighter than what they do. */
function paintParts(parts: readonly LinePart[], { style, symbols }: Appearance, paint: Paint) {
  let line = '';
  let rest = '';
  for (const [index, { text, isHint }] of parts.entries()) {
    if (index > 0) rest += symbols.dot;
    const [key = ''] = isHint === true ? (/^(?:Esc(?= Esc) )?\S+/.exec(text) ?? []) : [];
    if (key !== '') line += paint(rest) + style.bold(key);
    rest = key === '' ? rest + text : text.slice(key.length);
  }
  return line + paint(rest);
}

/** Keys of the hints that are not the default ones. */
interface HintKeys {
  readonly stopKeys?: string | undefined;
  readonly sendKey?: string | undefined;
}

export const hintKeysOf = (state: ReplState): HintKeys => ({
  stopKeys: stopKeysOf(state),
  sendKey: state.keyMap && neededKeyOf('send', state.keyMap),
});

/** The hints are written for Esc and Enter. */
function withKeys(part: LinePart, { stopKeys = 'Esc', sendKey = 'Enter' }: HintKeys): LinePart {
  if (part.isHint !== true) return part;
  const key = part.text.startsWith('Esc ') ? stopKeys : sendKey;
  return { ...part, text: part.text.replace(/^\S+/, key) };
}

/** One styled row, with a spinner that turns with `now` (milliseconds); empty while idle. */
export function statusRow(
  status: Status,
  appearance: Appearance,
  now: number,
  keys: HintKeys = {},
): string {
  const { style, symbols, columns } = appearance;
  const shown = roundEstimate(status);
  if (shown.phase === 'idle') return '';
  const spinner = `${spinnerOf(symbols, now)} `;
  const room = Math.max(1, columns - displayWidth(spinner));
  const isStalled = shown.phase === 'streaming' && shown.stalled !== undefined;
  const paint = shown.phase === 'retrying' || isStalled ? style.yellow : style.dim;
  const hinted = partsOf(shown, symbols, room).map((part) => withKeys(part, keys));
  const parts = fittingParts(hinted, room, symbols);
  return style.cyan(spinner) + paintParts(parts, appearance, paint);
}
