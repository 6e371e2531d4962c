import { tokenText } from '../../output/figures.ts';
import { displayWidth } from '../../terminal/text/width.ts';
import type { Status } from './view-model.ts';
import type { Appearance, Symbols } from './appearance.ts';
import { fitParts, shorten, type LinePart } from './fit-parts.ts';

const stopHint: LinePart = { text: 'Esc stops', priority: 1 };

function duration(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

type Retrying = Extract<Status, { phase: 'retrying' }>;

/** Columns below which a shortened cause means nothing. */
const minCauseColumns = 10;
/** Columns of the cause that matter more than the stop hint. */
const usefulCauseColumns = 24;

/** The countdown is never shortened. */
function retryParts(status: Retrying, symbols: Symbols, columns: number): readonly LinePart[] {
  const wait = status.secondsLeft > 0 ? `in ${duration(status.secondsLeft)}` : 'now';
  const retry: LinePart = {
    text: `retry ${status.retry} of ${status.retries} ${wait}`,
    priority: 3,
  };
  const roomBefore = (rest: readonly LinePart[]) =>
    columns - displayWidth(['', ...rest.map(({ text }) => text)].join(symbols.dot));
  const wanted = Math.min(usefulCauseColumns, displayWidth(status.cause));
  const others = roomBefore([retry, stopHint]) >= wanted ? [retry, stopHint] : [retry];
  const room = roomBefore(others);
  if (room < minCauseColumns) return [retry, stopHint];
  return [{ text: shorten(status.cause, room, symbols), priority: 0 }, ...others];
}

function waitingParts(text: string, seconds: number): readonly LinePart[] {
  const time = seconds > 0 ? duration(seconds) : '';
  return [{ text, priority: 3 }, { text: time, priority: 2 }, stopHint];
}

function partsOf(
  status: Exclude<Status, { phase: 'idle' }>,
  symbols: Symbols,
  columns: number,
): readonly LinePart[] {
  switch (status.phase) {
    case 'waiting':
      return waitingParts(`waiting for ${status.model}`, status.seconds);
    case 'working':
      return waitingParts(status.task, status.seconds);
    case 'streaming':
      return [
        { text: status.model, priority: 2 },
        { text: duration(status.seconds), priority: 0 },
        { text: stallText(status), priority: 4 },
        {
          text: tokenText(status.tokens, status.isEstimate),
          // For a stalled answer, the key that stops it matters more.
          priority: status.stalled === undefined ? 3 : 0,
        },
        stopHint,
      ];
    case 'retrying':
      return retryParts(status, symbols, columns);
    case 'stopping':
    default:
      return [{ text: 'stopping', priority: 1 }];
  }
}

function stallText({ stalled }: Extract<Status, { phase: 'streaming' }>): string {
  return stalled === undefined ? '' : `no data for ${duration(stalled)}`;
}

/** Rounds an estimate, so that the number does not flicker. */
function roundEstimate(status: Status): Status {
  if (status.phase !== 'streaming' || status.isEstimate !== true) return status;
  const step = status.tokens < 1000 ? 10 : 50;
  return { ...status, tokens: Math.round(status.tokens / step) * step };
}

/** One styled row; empty while idle. */
export function statusRow(status: Status, appearance: Appearance): string {
  const { style, symbols, columns } = appearance;
  const shown = roundEstimate(status);
  if (shown.phase === 'idle') return '';
  const line = fitParts(partsOf(shown, symbols, columns), columns, symbols);
  const isStalled = shown.phase === 'streaming' && shown.stalled !== undefined;
  return shown.phase === 'retrying' || isStalled ? style.yellow(line) : style.dim(line);
}
