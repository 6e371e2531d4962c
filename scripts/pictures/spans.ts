// What changes between the frames of a session, so that a picture contains each text once.
import type { Frame, Style } from './capture.ts';

/** When something is visible, in milliseconds; `to` is undefined if it stays. */
export interface Lifetime {
  readonly from: number;
  readonly to: number | undefined;
}

/** Text of one style in one line that appears and disappears at once. */
export interface Span extends Lifetime {
  readonly line: number;
  readonly column: number;
  readonly text: string;
  readonly style: Style;
}

/** A value that changes at moments. */
export interface Step<Value> {
  readonly at: number;
  readonly value: Value;
}

type Cells = Map<number, Span>;

const isBlank = ({ text, style }: Pick<Span, 'text' | 'style'>) =>
  text.trim() === '' && !style.underline;

const isSameStyle = (one: Style, other: Style) =>
  one.color === other.color &&
  one.bold === other.bold &&
  one.dim === other.dim &&
  one.italic === other.italic &&
  one.underline === other.underline;

/** Compares a line with its cells in the frame before; `ended` gets the cells that have changed. */
function compareLine(cells: Cells, frame: Frame, line: number, ended: Span[]): void {
  const now = frame.lines[line] ?? [];
  for (const [column, cell] of cells) {
    const found = now[column];
    if (found?.text === cell.text && isSameStyle(found.style, cell.style)) continue;
    ended.push({ ...cell, to: frame.at });
    cells.delete(column);
  }
  for (const [column, { text, style }] of now.entries()) {
    if (text === '' || cells.has(column)) continue;
    cells.set(column, { line, column, text, style, from: frame.at, to: undefined });
  }
}

/** Some programs show several spaces as one, so they separate spans. */
const isContinued = (one: Span, next: Span) =>
  !(isBlank(next) && one.text.endsWith(' ')) &&
  one.line === next.line &&
  one.from === next.from &&
  one.to === next.to &&
  one.column + one.text.length === next.column &&
  (isSameStyle(one.style, next.style) || isBlank(next));

/** Joins neighbouring cells of the same lifetime and style. */
function joinCells(cells: readonly Span[]): Span[] {
  const order = cells.toSorted(
    (one, other) =>
      one.line - other.line ||
      one.from - other.from ||
      (one.to ?? Infinity) - (other.to ?? Infinity) ||
      one.column - other.column,
  );
  const spans: Span[] = [];
  for (const cell of order) {
    const last = spans.at(-1);
    if (last !== undefined && isContinued(last, cell)) {
      spans[spans.length - 1] = { ...last, text: last.text + cell.text };
    } else if (!isBlank(cell)) spans.push(cell);
  }
  return spans.map((span) =>
    span.style.underline ? span : { ...span, text: span.text.trimEnd() },
  );
}

export function spansOf(frames: readonly Frame[]): Span[] {
  const lines = new Map<number, Cells>();
  const ended: Span[] = [];
  for (const frame of frames) {
    for (let line = 0; line < Math.max(frame.lines.length, lines.size); line += 1) {
      const cells = lines.get(line) ?? new Map<number, Span>();
      lines.set(line, cells);
      compareLine(cells, frame, line, ended);
    }
  }
  return joinCells([...ended, ...[...lines.values()].flatMap((cells) => [...cells.values()])]);
}

/** The moments at which a value of the frames changes. */
export function stepsOf<Value>(
  frames: readonly Frame[],
  read: (frame: Frame) => Value,
): Step<Value>[] {
  const steps: Step<Value>[] = [];
  for (const frame of frames) {
    const value = read(frame);
    if (JSON.stringify(steps.at(-1)?.value) !== JSON.stringify(value)) {
      steps.push({ at: frame.at, value });
    }
  }
  return steps;
}
