import type { ReactNode } from 'react';
import { durationText, tokenText } from '../../output/figures.ts';
import { sanitizeLine } from '../../terminal/safety/sanitizer.ts';
import { displayWidth } from '../../terminal/text/width.ts';
import { keyOf } from '../composer/keys/key-bindings.ts';
import { isEmpty } from '../composer/text-buffer.ts';
import type { AnswerActivity, ReplState } from '../state.ts';
import { stalledSeconds, stopKey } from '../step.ts';
import { fittingParts, type LinePart, Row, useView, type View } from './view.tsx';

/** The keys that stop an answer. */
function stopKeys(state: ReplState): string {
  const key = stopKey(state);
  return key === 'Esc' && state.vi?.mode === 'insert' ? 'Esc Esc' : key;
}

const hint = (key: string, does: string, priority: number): LinePart => ({
  text: `${key} ${does}`,
  priority,
  key,
});

/** Columns that the longer hint needs. */
const stalledColumns = 50;
/** Columns below which a shortened task or model means nothing. */
const minTaskColumns = 12;
/** Columns below which a retry row has shorter words. */
const narrowColumns = 60;

/** The countdown is never shortened; the cause is, before the key for a retry is left out. */
function retryParts(
  { cause, retry, retries, at }: NonNullable<AnswerActivity['retry']>,
  state: ReplState,
  columns: number,
): readonly LinePart[] {
  const { composer, keyMap, now } = state;
  const isNarrow = columns < narrowColumns;
  const left = Math.max(0, Math.ceil((at - now) / 1000));
  const wait = left > 0 ? `in ${durationText(left)}` : 'now';
  // With a draft, Enter would queue that.
  const canHurry = isEmpty(composer) && left > 0;
  const send = keyOf('send', keyMap);
  return [
    { text: sanitizeLine(cause), priority: 1, minColumns: isNarrow ? 10 : minTaskColumns },
    { text: isNarrow ? `retry ${wait}` : `retry ${retry} of ${retries} ${wait}`, priority: 4 },
    ...(canHurry ? [hint(send, isNarrow ? 'now' : 'retries now', 3)] : []),
    hint(stopKeys(state), 'gives up', canHurry ? 0 : 3),
  ];
}

/** Rounds an estimate, so that the number does not flicker. */
function roundEstimate(tokens: number): number {
  if (tokens < 10) return Math.ceil(tokens);
  const step = tokens < 1000 ? 10 : 50;
  return Math.round(tokens / step) * step;
}

/** Beside an answer, which Esc stops first, a side question is only named. */
function partsOf(view: View, columns: number): readonly LinePart[] {
  const { activity, aside, asides = [], now, host } = view.state;
  const running = activity ?? aside;
  if (running === undefined) return [];
  const seconds = Math.max(0, Math.floor((now - running.since) / 1000));
  const time = seconds > 0 ? durationText(seconds) : '';
  const stops = hint(stopKeys(view.state), 'stops', 1);
  const parts = (): readonly LinePart[] => {
    if (running.isStopping) return [{ text: 'stopping', priority: 1 }];
    if (activity === undefined) {
      const cause = sanitizeLine(aside?.cause ?? 'waiting');
      return [
        { text: 'btw', priority: 3 },
        { text: cause, priority: 0, minColumns: minTaskColumns },
        { text: time, priority: 2 },
        stops,
      ];
    }
    if (activity.type === 'task') {
      const name: LinePart = { text: activity.name, priority: 3, minColumns: minTaskColumns };
      return [name, { text: time, priority: 2 }, stops];
    }
    const { phase, retry, tokens } = activity;
    if (phase === 'retrying' && retry !== undefined) return retryParts(retry, view.state, columns);
    const model: LinePart = { text: sanitizeLine(host ?? activity.model), priority: 2 };
    if (phase !== 'streaming') {
      const waiting: LinePart = { text: `waiting ${time}`.trim(), priority: 3 };
      return [{ ...model, minColumns: minTaskColumns }, waiting, stops];
    }
    const stalled = stalledSeconds(activity, now);
    const figures = [model, { text: durationText(seconds), priority: 0 }];
    const count = tokenText(roundEstimate(tokens), true);
    if (stalled === undefined) return [...figures, { text: count, priority: 3 }, stops];
    // For a stalled answer, the key that stops it matters more.
    const keeps = hint(stopKeys(view.state), 'stops and keeps the text', 3);
    return [
      ...figures,
      { text: `nothing for ${durationText(stalled)}`, priority: 4 },
      { text: count, priority: 0 },
      columns < stalledColumns ? stops : keeps,
    ];
  };
  const answered = asides.length > 0 ? 'btw answered' : '';
  const named = activity === undefined ? '' : answered || (aside === undefined ? '' : 'btw');
  return [...parts(), { text: named, priority: 2 }];
}

/** Milliseconds of a frame of the spinner. */
export const spinnerPace = 100;

/** Keys are brighter than what they do. */
function paintParts(
  parts: readonly LinePart[],
  { style, symbols }: View,
  paint: (text: string) => string,
): string {
  let line = '';
  let rest = '';
  for (const [index, { text, key = '' }] of parts.entries()) {
    if (index > 0) rest += symbols.dot;
    if (key !== '') line += paint(rest) + style.bold(key);
    rest = key === '' ? rest + text : text.slice(key.length);
  }
  return line + paint(rest);
}

/** What natter does, and the keys for it, with a spinner that turns. */
export function StatusRow(): ReactNode {
  const view = useView();
  const { state, style, symbols, columns, now } = view;
  const { activity } = state;
  const frame = Math.floor(now / spinnerPace) % symbols.spinner.length;
  const spinner = `${symbols.spinner[frame]} `;
  const room = Math.max(1, columns - displayWidth(spinner));
  const answer = activity?.type === 'answer' && !activity.isStopping ? activity : undefined;
  const isStalled = answer !== undefined && stalledSeconds(answer, state.now) !== undefined;
  const paint = isStalled || answer?.phase === 'retrying' ? style.yellow : style.dim;
  const parts = fittingParts(partsOf(view, room), room, symbols);
  return <Row>{style.cyan(spinner) + paintParts(parts, view, paint)}</Row>;
}
