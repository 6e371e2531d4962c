import type { ViewModel } from './view-model.ts';

/** Rows of each part of the region; 0 omits it. */
export interface RowBudget {
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
  readonly notice: number;
  readonly footer: number;
}

const maxTailRows = 8;
const maxQueueRows = 4;
const maxCompletionRows = 8;

/** Rows of a window that has room for them. */
const minRowsForMargin = 16;
const minRowsForRule = 12;

function desiredRows(model: ViewModel, tailRows: number, rows: number): RowBudget {
  const { status, queue, attachments, search, completion, notice } = model;
  const isBusy = status.phase !== 'idle' || queue.length > 0;
  return {
    tail: Math.min(maxTailRows, tailRows),
    gap: 1,
    status: status.phase === 'idle' ? 0 : 1,
    queue: Math.min(maxQueueRows, queue.length),
    margin: isBusy && rows >= minRowsForMargin ? 1 : 0,
    rule: rows >= minRowsForRule ? 1 : 0,
    attachments: attachments.length > 0 ? 1 : 0,
    search: search === undefined ? 0 : 1 + search.older.length,
    completion: Math.min(maxCompletionRows, completion?.candidates.length ?? 0),
    notice: notice === undefined ? 0 : 1,
    footer: 1,
  };
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
  ['footer', 0],
  ['notice', 0],
  ['status', 0],
  ['completion', 0],
  ['search', 0],
];

/** Distributes the rows of a window; one row is reserved for the text above. */
export function fitView(model: ViewModel, tailRows: number, rows: number): RowBudget {
  const budget: Record<keyof RowBudget, number> = { ...desiredRows(model, tailRows, rows) };
  const sum = Object.values(budget).reduce((total, count) => total + count, 0);
  let excess = sum + model.composer.rows.length - (rows - 1);
  for (const [part, minimum] of shrinkOrder) {
    if (excess <= 0) break;
    const removed = Math.max(0, Math.min(excess, budget[part] - minimum));
    budget[part] -= removed;
    excess -= removed;
  }
  return budget;
}

export function rowsBelowCaret(model: ViewModel, budget: RowBudget): number {
  const { composer } = model;
  const { attachments, search, completion, notice, footer } = budget;
  const under = attachments + search + completion + notice + footer;
  return under + composer.rows.length - 1 - composer.caret.row;
}

/** Index of the first visible one of `count` choices, so that the selected one is visible. */
export function firstVisible(selected: number, count: number, rows: number): number {
  const centred = selected - Math.floor(rows / 2);
  return Math.max(0, Math.min(centred, count - rows));
}
