import type { MarkedText } from '../paste.ts';
import type { TextBuffer } from '../text-buffer.ts';

export type ViMode = 'insert' | 'replace' | 'normal' | 'visual' | 'visual-line';

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

/** What a visual selection covered, so that `.` covers as much at a different place. */
export interface Extent {
  readonly isLinewise: boolean;
  readonly lines: number;
  /** Characters of the last line. */
  readonly characters: number;
}

/** An insertion that Esc ends. */
export interface Insertion {
  /** The buffer before its command, to which one undo returns. */
  readonly before: TextBuffer;
  readonly command: Command;
  /** Where the inserted text begins. */
  readonly from: number;
  /** UTF-16 units after the inserted text. */
  readonly rest: number;
  /** The selection that the text replaces. */
  readonly extent: Extent | undefined;
}

/** The last change, for `.`. */
export interface Change {
  readonly command: Command;
  /** The text that was typed before Esc. */
  readonly inserted: string;
  /** The pastes whose markers it contains. */
  readonly pastes?: MarkedText['pastes'];
  readonly extent?: Extent | undefined;
}

export interface ViState {
  readonly mode: ViMode;
  /** Keys of an incomplete command. */
  readonly pending: readonly string[];
  readonly register: Register | undefined;
  readonly search: CharacterSearch | undefined;
  readonly change: Change | undefined;
  /** The column that `j` and `k` keep; infinite after `$`. */
  readonly wantedColumn: number | undefined;
  /** The fixed end of a visual selection. */
  readonly anchor: number;
  readonly insertion: Insertion | undefined;
}

/** A state and the buffer that belongs to it. */
export interface Edited {
  readonly vi: ViState;
  readonly buffer: TextBuffer;
}

/** What natter does besides editing: the history beyond the first and last line, the exit. */
export type ViRequest = 'history-older' | 'history-newer' | 'row-up' | 'row-down' | 'exit';

/** The result of a command. */
export interface ViResult extends Edited {
  readonly request?: ViRequest | undefined;
}

export const firstViState: ViState = {
  mode: 'insert',
  pending: [],
  register: undefined,
  search: undefined,
  change: undefined,
  wantedColumn: undefined,
  anchor: 0,
  insertion: undefined,
};

export function isVisual({ mode }: ViState): boolean {
  return mode === 'visual' || mode === 'visual-line';
}

export function isInserting({ mode }: ViState): boolean {
  return mode === 'insert' || mode === 'replace';
}
