import type { MarkedText } from '../paste.ts';
import type { TextBuffer } from '../text-buffer.ts';

export type Operator = 'd' | 'c' | 'y' | '>' | '<' | 'g~' | 'gu' | 'gU';

/** A command of normal or visual mode. */
export interface Command {
  readonly operator?: Operator | undefined;
  /** The keys without operator, count and character, such as `w`, `gg`, `iw` or `f`; `lines` for a doubled operator. */
  readonly name: string;
  /** The character after `f`, `F`, `t`, `T` and `r`. */
  readonly character: string;
  readonly count: number | undefined;
}

/** A part of a text. */
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

/** The last `f`, `F`, `t` or `T`, for `;` and `,`. */
export interface CharacterSearch {
  readonly character: string;
  readonly isForward: boolean;
  /** The caret stops beside the character. */
  readonly isTill: boolean;
}

/** An insertion that Esc ends. */
export interface Insertion {
  /** The buffer before its command, to which one undo returns. */
  readonly before: TextBuffer;
  /** The buffer when typing began; its caret is where the typed text begins. */
  readonly begun: TextBuffer;
  /** What `.` repeats with the typed text; undefined if it cannot be repeated. */
  readonly command: Command | undefined;
}

export interface ViState {
  readonly mode: 'insert' | 'normal' | 'visual' | 'visual-line';
  /** Keys of an incomplete command. */
  readonly pending: readonly string[];
  readonly register?: Register | undefined;
  readonly search?: CharacterSearch | undefined;
  /** The last change, for `.`. */
  readonly change?:
    | {
        readonly command: Command;
        /** The text that was typed before Esc. */
        readonly inserted?: MarkedText;
      }
    | undefined;
  /** The column that `j` and `k` keep; infinite after `$`. */
  readonly wantedColumn?: number | undefined;
  /** The fixed end of a visual selection. */
  readonly anchor: number;
  readonly insertion?: Insertion | undefined;
}

/** A state and the buffer that belongs to it, after a command. */
export interface Edited {
  readonly vi: ViState;
  readonly buffer: TextBuffer;
  /** What natter does besides editing: a row or the history beyond the first and last line, the exit. */
  readonly request?: 'move-up' | 'move-down' | 'exit' | undefined;
}

export const firstViState: ViState = { mode: 'insert', pending: [], anchor: 0 };

export function isVisual({ mode }: ViState): boolean {
  return mode === 'visual' || mode === 'visual-line';
}
