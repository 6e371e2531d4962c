import type { ReactNode } from 'react';
import { count } from '../../output/figures.ts';
import { displayWidth } from '../../terminal/width.ts';
import type { Status } from '../view-model.ts';
import { useAppearance, type Signs } from './appearance.ts';
import { fitParts, shorten, type LinePart } from './fit-parts.ts';
import { Row } from './Row.tsx';

const stops: LinePart = { text: 'Esc stops', worth: 1 };

function duration(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

type Retrying = Extract<Status, { phase: 'retrying' }>;

/** Less of the cause than this would tell nothing. */
const leastCause = 10;

/** The countdown is always whole; the cause takes what room is left. */
function retryParts(status: Retrying, signs: Signs, columns: number): readonly LinePart[] {
  const wait = status.secondsLeft > 0 ? `in ${duration(status.secondsLeft)}` : 'now';
  const retry: LinePart = { text: `retry ${status.retry} of ${status.retries} ${wait}`, worth: 3 };
  const room = columns - displayWidth(['', retry.text, stops.text].join(signs.dot));
  const cause = room < leastCause ? '' : shorten(status.cause, room, signs);
  return [{ text: cause, worth: 0 }, retry, stops];
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
        {
          text: `${status.isEstimate === true ? signs.about : ''}${count(status.tokens)} tokens`,
          worth: 3,
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

/** What natter is doing, on one row. */
export function StatusLine({ status }: { readonly status: Status }): ReactNode {
  const { style, signs, columns } = useAppearance();
  if (status.phase === 'idle') return null;
  const line = fitParts(parts(status, signs, columns), columns, signs);
  return <Row>{status.phase === 'retrying' ? style.yellow(line) : style.dim(line)}</Row>;
}
