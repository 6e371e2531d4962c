import type { Clock } from '../../clock.ts';
import type { History } from '../composer/history.ts';
import type { KeyMap } from '../composer/keys/key-bindings.ts';
import type { TextBuffer } from '../composer/text-buffer.ts';
import type { LineChoices, LineCompletion } from './line-completion.ts';
import type { LineSearch } from './line-search.ts';
import { bytesToEnd, editBytes, nothingTyped, type LinePlace } from './typed-line.ts';

export interface LineEditorOptions {
  readonly clock: Clock;
  readonly write: (text: string) => void;
  readonly columns: () => number;
  /** By default that of {@link actionOf}. */
  readonly keyMap?: KeyMap | undefined;
  /** Earlier prompts, read when the user starts to browse them. */
  readonly history: () => History;
  /** Called with each entered line; the cursor is on the next row by then. */
  readonly onLine: (text: string) => void;
  /** A paste ended inside a line: the lines before it wait for its end. */
  readonly onUnfinished: () => void;
  /** Ctrl+C discarded the typed text. */
  readonly onCleared: () => void;
  /** Ctrl+C on an empty line, or while the line is not shown. */
  readonly onInterrupt: () => void;
  /** The question must be written again: Ctrl+C discarded the typed text, or a search begins or ends. */
  readonly onDiscarded: () => void;
  /** Whether the line is a prompt, not the answer to a question. */
  readonly isPrompt: () => boolean;
  /** Returns a promise while files are looked for. */
  readonly complete: (buffer: TextBuffer) => LineCompletion | Promise<LineCompletion>;
  /** The mentions of a text that is only paths of existing files, as terminals type dropped ones. */
  readonly mentionsOf: (text: string) => string | undefined;
  /** Writes a notice above the line. */
  readonly say: (words: string) => void;
  /** Ctrl+D on an empty line. */
  readonly onEnd: () => void;
  readonly onSuspend: () => void;
}

/** The line on the screen. */
export function createShownLine({ write, columns }: LineEditorOptions) {
  let shown = nothingTyped;
  let column: number | undefined;
  const place = (from: number): LinePlace => ({ column: from, columns: columns() });
  return {
    isShown: () => column !== undefined,
    begin(from: number) {
      shown = nothingTyped;
      column = from;
    },
    update(next: typeof shown) {
      if (column === undefined) return;
      const bytes = editBytes(shown, next, place(column));
      shown = next;
      if (bytes !== '') write(bytes);
    },
    leave(ending: string) {
      if (column === undefined) return;
      const bytes = bytesToEnd(shown, place(column)) + ending;
      column = undefined;
      if (bytes !== '') write(bytes);
    },
  };
}

export interface EditorState {
  readonly options: LineEditorOptions;
  readonly line: ReturnType<typeof createShownLine>;
  buffer: TextBuffer;
  /** With its position among the earlier prompts; undefined if none was recalled. */
  history: History | undefined;
  search: LineSearch | undefined;
  /** Tabs pressed while the files of the line are looked for. */
  tabs: { readonly of: TextBuffer; count: number } | undefined;
  /** Of the line as it is in `of`; a changed line ends them. */
  choices: { readonly of: TextBuffer; readonly choices: LineChoices } | undefined;
  /** A line was entered by the keys of this read. */
  hasEntered: boolean;
}

export const historyOf = ({ history, options }: EditorState) => history ?? options.history();
