const maxQueueRows = 4;
const maxCompletionRows = 8;

/** What asks for rows. */
type Part =
  | 'tail'
  | 'status'
  | 'queue'
  | 'attachments'
  | 'search'
  | 'completion'
  | 'panel'
  | 'notice';

/** Rows of a window that has room for them. */
const minRowsForMargin = 16;
const minRowsForRule = 12;

/** Distributes the rows of a window beside the composer; one row is reserved for the text above. A part with 0 rows is omitted. */
export function budgetOf(
  rows: number,
  composerRows: number,
  wanted: Readonly<Record<Part, number>>,
) {
  const { status, queue } = wanted;
  const budget = {
    ...wanted,
    gap: 1,
    queue: Math.min(maxQueueRows, queue),
    /** The margin below the activity. */
    margin: status + queue > 0 && rows >= minRowsForMargin ? 1 : 0,
    /** The rule above the composer. */
    rule: rows >= minRowsForRule ? 1 : 0,
    completion: Math.min(maxCompletionRows, wanted.completion),
    footer: 1,
  };
  /** Which parts shrink first in a low window, and to how many rows. */
  const shrinkOrder: readonly (readonly [part: keyof typeof budget, minimum: number])[] = [
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
  const sum = Object.values(budget).reduce((total, count) => total + count, 0);
  let excess = sum + composerRows - (rows - 1);
  for (const [part, minimum] of shrinkOrder) {
    if (excess <= 0) break;
    const removed = Math.max(0, Math.min(excess, budget[part] - minimum));
    budget[part] -= removed;
    excess -= removed;
  }
  return budget;
}

/** Index of the first visible one of `count` choices, so that the selected one is visible. */
export function firstVisible(selected: number, count: number, rows: number): number {
  const centred = selected - Math.floor(rows / 2);
  return Math.max(0, Math.min(centred, count - rows));
}
