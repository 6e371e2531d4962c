import type { Clock } from '../../clock.ts';
import { editActions, isEditAction } from '../editing/edit-actions.ts';
import { newerEntry, olderEntry, type History } from '../editing/history.ts';
import { actionOf, type KeyAction } from '../editing/keys/key-bindings.ts';
import { chordOf, type KeyEvent, type KeyPress } from '../editing/keys/key-event.ts';
import { contentOf } from '../editing/paste.ts';
import {
  clearBuffer,
  createBuffer,
  draftOf,
  insert,
  withDraft,
  type TextBuffer,
} from '../editing/text-buffer.ts';
import { createKeyInput } from '../live/key-input.ts';
import { editBytes, nothingTyped, bytesToEnd, typedLine, type LinePlace } from './typed-line.ts';

export interface LineEditorOptions {
  readonly clock: Clock;
  readonly write: (text: string) => void;
  readonly columns: () => number;
  /** Earlier prompts, read when the user starts to browse them. */
  readonly history: () => History;
  /** Called with each entered line; the cursor is on the next row by then. */
  readonly onLine: (text: string) => void;
  /** Ctrl-C on an empty line, or while the line is not shown. */
  readonly onInterrupt: () => void;
  /** Ctrl-C discarded the typed text: the question must be written again. */
  readonly onDiscarded: () => void;
  /** Ctrl-D on an empty line. */
  readonly onEnd: () => void;
  readonly onSuspend: () => void;
}

/** Edits one line at a time on a raw terminal. Text typed while the line is not shown appears with the next `show`. */
export interface LineEditor {
  feed(bytes: Uint8Array): void;
  /** Shows the typed text from `column` on, after a question. */
  show(column: number): void;
  /** Moves the cursor to the end of the line, before other output. */
  hide(): void;
  stop(): void;
}

/** The line on the screen. */
function createShownLine({ write, columns }: LineEditorOptions) {
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

interface EditorState {
  readonly options: LineEditorOptions;
  readonly line: ReturnType<typeof createShownLine>;
  buffer: TextBuffer;
  /** With its position among the earlier prompts; undefined if none was recalled. */
  history: History | undefined;
}

/** Clears the line. @returns the typed text */
function takeText(state: EditorState): string {
  const text = contentOf(state.buffer);
  state.buffer = clearBuffer(state.buffer);
  state.history = undefined;
  return text;
}

function enter(state: EditorState): void {
  const { line, options } = state;
  const wasShown = line.isShown();
  line.leave('\n');
  // The next line of a paste starts in the first column.
  if (wasShown) line.begin(0);
  options.onLine(takeText(state));
}

function interrupt(state: EditorState): void {
  const { line, options } = state;
  const isTyped = takeText(state) !== '' && line.isShown();
  if (!isTyped) return options.onInterrupt();
  line.leave('\n');
  options.onDiscarded();
}

function deleteOrEnd(state: EditorState): void {
  if (state.buffer.text === '') state.options.onEnd();
  else state.buffer = editActions['delete-right'](state.buffer);
}

function recall(state: EditorState, entryOf: typeof olderEntry): void {
  const found = entryOf(state.history ?? state.options.history(), draftOf(state.buffer));
  if (found === undefined) return;
  state.history = found.history;
  state.buffer = withDraft(state.buffer, found.draft);
}

const recallOlder = (state: EditorState) => recall(state, olderEntry);
const recallNewer = (state: EditorState) => recall(state, newerEntry);

/** Actions other than text edits. */
const lineActions: Partial<Record<KeyAction, (state: EditorState) => void>> = {
  send: enter,
  'new-line': enter,
  interrupt,
  suspend: ({ options }) => options.onSuspend(),
  'delete-right-or-quit': deleteOrEnd,
  'move-up': recallOlder,
  'move-down': recallNewer,
  'history-older': recallOlder,
  'history-newer': recallNewer,
  // Pasted tabs.
  complete: (state) => void (state.buffer = insert(state.buffer, '\t')),
};

function press(state: EditorState, key: KeyPress): void {
  const action = actionOf(chordOf(key), 'composer');
  const act = action && lineActions[action];
  if (act !== undefined) act(state);
  else if (action !== undefined && isEditAction(action)) {
    state.buffer = editActions[action](state.buffer);
  }
}

const show = ({ line, buffer }: EditorState) => line.update(typedLine(buffer));

function type(state: EditorState, text: string): void {
  for (const [index, part] of text.split('\n').entries()) {
    if (index > 0) enter(state);
    state.buffer = insert(state.buffer, part);
    show(state);
  }
}

export function createLineEditor(options: LineEditorOptions): LineEditor {
  const line = createShownLine(options);
  const state: EditorState = { options, line, buffer: createBuffer(), history: undefined };
  const onKeys = (events: readonly KeyEvent[]) => {
    for (const event of events) {
      if (event.type === 'key') press(state, event);
      else type(state, event.text);
      show(state);
    }
  };
  const keys = createKeyInput(options.clock, onKeys, () => undefined);
  return {
    feed: (bytes) => keys.feed(bytes),
    show(column) {
      line.begin(column);
      show(state);
    },
    hide: () => line.leave(''),
    stop: () => keys.stop(),
  };
}
