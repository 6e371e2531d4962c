import type { MarkedText } from '../paste.ts';
import type { TextBuffer } from '../text-buffer.ts';

/** `r`, `~` and `J` need no motion in normal mode. */
export type Operator = 'd' | 'c' | 'y' | '>' | '<' | 'g~' | 'gu' | 'gU' | 'r' | '~' | 'J';

export interface Command {
  readonly operator?: Operator | undefined;
  /**
   * The keys without operator, count and character, such as `w`, `gg`, `iw` or `f?`; of an operator, `_` if it is
   * doubled, and `selection` in visual mode.
   */
  readonly name: string;
  /** The character after `f`, `F`, `t`, `T` and `r`. */
  readonly character: string;
  readonly count?: number | undefined;
}

export interface Range {
  readonly from: number;
  readonly to: number;
  /** `from` is the start of a line, `to` the end of one, without its line end. */
  readonly isLinewise: boolean;
}

/** The unnamed register: the last deleted or yanked text. */
export interface Register extends MarkedText {
  /** Whole lines; the text has no line end after the last one. */
  readonly isLinewise: boolean;
}

export interface Vi {
  readonly mode: 'insert' | 'normal' | 'visual' | 'visual-line';
  /**
   * The text after the last key: if the composer has a different one, something else changed it. The column that `j` and
   * `k` keep is infinite after `$`.
   */
  readonly buffer: TextBuffer;
  /** Keys of an incomplete command. */
  readonly pending: string;
  readonly register?: Register | undefined;
  /** The last `f`, `F`, `t` or `T`, for `;` and `,`. */
  readonly search?: Command | undefined;
  /** The last change, for `.`. */
  readonly change?:
    | {
        readonly command: Command;
        /** The text that was typed before Esc. */
        readonly inserted?: MarkedText;
      }
    | undefined;
  /** The fixed end of a visual selection. */
  readonly anchor: number;
  /** An insertion that Esc ends. */
  readonly insertion?:
    | {
        /** The buffer before its command, to which one undo returns. */
        readonly before: TextBuffer;
        /** The buffer when typing began; its caret is where the typed text begins. */
        readonly begun: TextBuffer;
        /** What `.` repeats with the typed text; undefined if it cannot be repeated. */
        readonly command: Command | undefined;
      }
    | undefined;
}

export function isVisual({ mode }: Vi): boolean {
  return mode === 'visual' || mode === 'visual-line';
}
