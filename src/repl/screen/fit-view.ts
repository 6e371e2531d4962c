import { panelOf } from '../commands.ts';
import { menuKeysText } from '../menu.ts';
import type { ReplState } from '../state.ts';
import { type ComposerView, composerOf, searchOf } from './Composer.tsx';
import { noticeOf } from './notice.ts';

/** Rows of each part of the region; 0 omits it. */
interface RowBudget {
  readonly tail: number;
  readonly gap: number;
  readonly status: number;
  readonly queue: number;
  /** Below the activity. */
  readonly margin: number;
  /** Above the composer. */
  readonly rule: number;
  readonly attachments: number;
  readonly search: number;
  readonly completion: number;
  readonly panel: number;
  readonly notice: number;
  readonly footer: number;
}

const maxTailRows = 8;
const maxQueueRows = 4;
const maxCompletionRows = 8;

/** Rows of a window that has room for them. */
const minRowsForMargin = 16;
const minRowsForRule = 12;

/** What the window shows of a state, with the rows for it. */
export interface Parts {
  readonly budget: RowBudget;
  readonly composer: ComposerView;
  readonly search: ReturnType<typeof searchOf>;
  readonly panel: readonly string[];
  readonly notice: string | undefined;
}

/** Which parts shrink first in a low window, and to how many rows. */
const shrinkOrder: readonly (readonly [part: keyof RowBudget, minimum: number])[] = [
  ['tail', 1],
  ['queue', 1],
  ['margin', 0],
  ['completion', 3],
  ['search', 1],
  ['rule', 0],
  ['gap', 0],
  ['tail', 0],
  ['attachments', 0],
  ['queue', 0],
  ['completion', 1],
  ['panel', 1],
  ['footer', 0],
  ['notice', 0],
  ['status', 0],
  ['completion', 0],
  ['panel', 0],
  ['search', 0],
];

/** Distributes the rows of a window; one row is reserved for the text above. */
export function fitView(state: ReplState, tailRows: number, rows: number): Parts {
  const { activity, queue, attachments, completion } = state;
  const composer = composerOf(state);
  const search = searchOf(state);
  const notice = noticeOf(state);
  const keys = menuKeysText(state);
  const panel = keys === undefined ? panelOf(state) : [keys];
  const isBusy = activity !== undefined || queue.length > 0;
  const budget = {
    tail: Math.min(maxTailRows, tailRows),
    gap: 1,
    status: activity === undefined ? 0 : 1,
    queue: Math.min(maxQueueRows, queue.length),
    margin: isBusy && rows >= minRowsForMargin ? 1 : 0,
    rule: rows >= minRowsForRule ? 1 : 0,
    attachments: attachments.length > 0 ? 1 : 0,
    search: search === undefined ? 0 : 1 + search.older.length,
    completion: Math.min(maxCompletionRows, completion?.candidates.length ?? 0),
    panel: panel.length,
    notice: notice === undefined ? 0 : 1,
    footer: 1,
  };
  const sum = Object.values(budget).reduce((total, count) => total + count, 0);
  let excess = sum + composer.rows.length - (rows - 1);
  for (const [part, minimum] of shrinkOrder) {
    if (excess <= 0) break;
    const removed = Math.max(0, Math.min(excess, budget[part] - minimum));
    budget[part] -= removed;
    excess -= removed;
  }
  return { budget, composer, search, panel, notice };
}

/** Index of the first visible one of `count` choices, so that the selected one is visible. */
export function firstVisible(selected: number, count: number, rows: number): number {
  const centred = selected - Math.floor(rows / 2);
  return Math.max(0, Math.min(centred, count - rows));
}
