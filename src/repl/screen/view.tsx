import { Box, type DOMElement, measureElement, Text } from 'ink';
import {
  createContext,
  type ReactNode,
  type RefObject,
  useContext,
  useLayoutEffect,
  useRef,
} from 'react';
import { displayWidth, splitAtWidth, truncateToWidth } from '../../terminal/text/width.ts';
import type { CaretShape } from '../../terminal/region/paint.ts';
import type { Style } from '../../terminal/style.ts';
import type { KeyEvent } from '../composer/keys/key-event.ts';
import type { ReplState, Update } from '../state.ts';
import type { Symbols } from './symbols.ts';

/** How the components look at a moment. */
export interface Look {
  readonly style: Style;
  readonly symbols: Symbols;
  /** Milliseconds; they turn the spinner. */
  readonly now: number;
}

/** What the components show: the state at the last update of the live region, and its place. */
export interface View extends Look {
  readonly state: ReplState;
  /** Columns the region may use. */
  readonly columns: number;
  /** Rows of the window. */
  readonly rows: number;
  /** The end of an answer whose format is not decided yet is shown above the region. */
  readonly hasTail: boolean;
  /** Takes what the components find out about their layout. */
  readonly laidOut: (part: Partial<Layout>) => void;
  readonly update: (change: (state: ReplState) => Update) => void;
  /** The open components, which get the keys. */
  readonly listeners: Set<KeyListener>;
}

/** The caret of a component: a column, and the rows of the component below its row. */
interface Caret {
  readonly column: number;
  readonly rowsBelow: number;
  readonly shape?: CaretShape | undefined;
}

export interface Layout {
  readonly caret: Caret | undefined;
  /** Rows below the component with the caret. */
  readonly rowsBelow: number;
}

/** Returns whether the key was for the component. */
type KeyListener = (event: KeyEvent) => boolean;

const ViewContext = createContext<View | undefined>(undefined);

export const ViewProvider = ViewContext.Provider;

export function useView(): View {
  const view = useContext(ViewContext);
  if (view === undefined) throw new Error('the component is in no live region');
  return view;
}

/** Gets the keys while the component is open. */
export function useKeys(listener: KeyListener): void {
  const { listeners } = useView();
  useLayoutEffect(() => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  });
}

/** Places the caret in the component, or hides it. */
export function useCaret(caret: Caret | undefined): void {
  const { laidOut } = useView();
  useLayoutEffect(() => laidOut({ caret }));
}

/** The box of everything below the component with the caret: Ink measures it. */
export function useBelowCaret(): RefObject<DOMElement | null> {
  const { laidOut } = useView();
  const box = useRef<DOMElement>(null);
  useLayoutEffect(() => {
    if (box.current !== null) laidOut({ rowsBelow: measureElement(box.current).height });
  });
  return box;
}

/** One row of the terminal, truncated to its width. */
export function Row({ children }: { readonly children: string }): ReactNode {
  // Ink omits the row of an empty text.
  return <Text wrap="truncate">{children === '' ? ' ' : children}</Text>;
}

export function Lines({ lines }: { readonly lines: readonly string[] }): ReactNode {
  return (
    <Box flexDirection="column">
      {lines.map((line, index) => (
        // Rows have no identity other than their index.
        // oxlint-disable-next-line react/no-array-index-key
        <Row key={index}>{line}</Row>
      ))}
    </Box>
  );
}

/** Index of the first visible one of `count` choices, so that the selected one is visible. */
export function firstVisible(selected: number, count: number, rows: number): number {
  const centred = selected - Math.floor(rows / 2);
  return Math.max(0, Math.min(centred, count - rows));
}

/** A part of a line. If not all parts fit, those with the lowest priority are omitted. */
export interface LinePart {
  readonly text: string;
  readonly priority: number;
  /** It may be shortened to this width before any part is omitted. */
  readonly minColumns?: number;
  /** The key at the start of a hint, such as `Esc stops`. */
  readonly key?: string;
  readonly paint?: (text: string) => string;
}

/** The end of a text that fits in `columns`, in whole characters. */
export function fittingEnd(text: string, columns: number): string {
  const excess = displayWidth(text) - columns;
  if (excess <= 0) return text;
  const [, rest] = splitAtWidth(text, excess);
  // A wide character that the cut would divide is left out.
  return displayWidth(rest) <= columns ? rest : splitAtWidth(text, excess + 1)[1];
}

/** The parts that fit, in order; a single part is shortened. */
export function fittingParts(
  parts: readonly LinePart[],
  columns: number,
  separator: string,
): readonly LinePart[] {
  const kept = parts.filter(({ text }) => text !== '');
  for (;;) {
    const excess = displayWidth(kept.map(({ text }) => text).join(separator)) - columns;
    if (excess <= 0) return kept;
    const room = ({ text }: LinePart) => displayWidth(text) - excess;
    const isSingle = kept.length === 1;
    const flexible = kept.find(
      (part) => isSingle || (part.minColumns !== undefined && room(part) >= part.minColumns),
    );
    if (flexible !== undefined) {
      const text = truncateToWidth(flexible.text, room(flexible));
      return kept.map((part) => (part === flexible ? { ...part, text } : part));
    }
    const lowest = Math.min(...kept.map(({ priority }) => priority));
    kept.splice(
      kept.findLastIndex(({ priority }) => priority === lowest),
      1,
    );
  }
}

/** The parts that fit, in one line. */
export function fitParts(parts: readonly LinePart[], columns: number, symbols: Symbols): string {
  const fitting = fittingParts(parts, columns, symbols.dot);
  return fitting.map(({ text }) => text).join(symbols.dot);
}
