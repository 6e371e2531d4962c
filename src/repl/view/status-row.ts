import { tokenText } from '../../output/figures.ts';
import { displayWidth } from '../../terminal/text/width.ts';
import type { Status } from './view-model.ts';
import type { Appearance, Signs } from './appearance.ts';
import { fitParts, shorten, type LinePart } from './fit-parts.ts';

const stops: LinePart = { text: 'Esc stops', worth: 1 };

function duration(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

type Retrying = Extract<Status, { phase: 'retrying' }>;

/** A shorter part of the cause would be meaningless. */
const leastCause = 10;
/** A meaningful part of the cause matters more than the key that stops. */
const tellingCause = 24;

/** The countdown is never shortened. */
function retryParts(status: Retrying, signs: Signs, columns: number): readonly LinePart[] {
  const wait = status.secondsLeft > 0 ? `in ${duration(status.secondsLeft)}` : 'now';
  const retry: LinePart = { text: `retry ${status.retry} of ${status.retries} ${wait}`, worth: 3 };
  const roomBefore = (rest: readonly LinePart[]) =>
    columns - displayWidth(['', ...rest.map(({ text }) => text)].join(signs.dot));
  const wanted = Math.min(tellingCause, displayWidth(status.cause));
  const others = roomBefore([retry, stops]) >= wanted ? [retry, stops] : [retry];
  const room = roomBefore(others);
  if (room < leastCause) return [retry, stops];
  return [{ text: shorten(status.cause, room, signs), worth: 0 }, ...others];
}

function parts(
  status: Exclude<Status, { phase: 'idle' }>,
  signs: Signs,
  columns: number,
): readonly LinePart[] {
  switch (status.phase) {
    case 'waiting':
      return [
        { text: `waiting for ${status.model}`, worth: 3 },
        { text: status.seconds > 0 ? duration(status.seconds) : '', worth: 2 },
        stops,
      ];
    case 'streaming':
      return [
        { text: status.model, worth: 2 },
        { text: duration(status.seconds), worth: 0 },
        { text: stallText(status), worth: 4 },
        {
          text: tokenText(status.tokens, status.isEstimate),
          // For a stalled answer, the key that stops it matters more.
          worth: status.stalled === undefined ? 3 : 0,
        },
        stops,
      ];
    case 'retrying':
      return retryParts(status, signs, columns);
    case 'working':
      return [
        { text: status.task, worth: 3 },
        { text: status.seconds > 0 ? duration(status.seconds) : '', worth: 2 },
        stops,
      ];
    case 'stopping':
    default:
      return [{ text: 'stopping', worth: 1 }];
  }
}

function stallText({ stalled }: Extract<Status, { phase: 'streaming' }>): string {
  return stalled === undefined ? '' : `no data for ${duration(stalled)}`;
}

/** Rounds an estimate, so that the number does not flicker. */
function calm(status: Status): Status {
  if (status.phase !== 'streaming' || status.isEstimate !== true) return status;
  const step = status.tokens < 1000 ? 10 : 50;
  return { ...status, tokens: Math.round(status.tokens / step) * step };
}

/** One styled row; empty while idle. */
export function statusRow(status: Status, appearance: Appearance): string {
  const { style, signs, columns } = appearance;
  const shown = calm(status);
  if (shown.phase === 'idle') return '';
  const line = fitParts(parts(shown, signs, columns), columns, signs);
  const isStalled = shown.phase === 'streaming' && shown.stalled !== undefined;
  return shown.phase === 'retrying' || isStalled ? style.yellow(line) : style.dim(line);
}
