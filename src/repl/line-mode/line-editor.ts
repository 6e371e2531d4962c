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
import { editBytes, nothingTyped, toEnd, typedLine, type LinePlace } from './typed-line.ts';

export interface LineEditorOptions {
  readonly clock: Clock;
  readonly write: (text: string) => void;
  /** Width of the window. */
  readonly columns: () => number;
  /** Earlier prompts, read when the user starts to browse them. */
  readonly history: () => History;
  /** Called for each entered line, with the cursor on the next row. */
  readonly onLine: (text: string) => void;
  /** Ctrl-C on an empty line or without a question. */
  readonly onInterrupt: () => void;
  /** Ctrl-C discarded the typed text: the question must be written again. */
  readonly onDropped: () => void;
  /** Ctrl-D on an empty line. */
  readonly onEnd: () => void;
  readonly onSuspend: () => void;
}

/** Edits one line at a time on a raw terminal. Text typed without a question is shown with the next one. */
export interface LineEditor {
  feed(bytes: Uint8Array): void;
  /** Shows the typed text from `column` on, after a question. */
  show(column: number): void;
  /** Leaves the line as it is, with the cursor at its end, before other output. */
  hide(): void;
  stop(): void;
}

/** The line as shown on the screen. */
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
      const bytes = toEnd(shown, place(column)) + ending;
      column = undefined;
      if (bytes !== '') write(bytes);
    },
  };
}

interface Editing {
  readonly options: LineEditorOptions;
  readonly line: ReturnType<typeof createShownLine>;
  buffer: TextBuffer;
  /** Position among earlier prompts; undefined if none was recalled. */
  walk: History | undefined;
}

/** Returns the typed text and clears the line. */
function take(editing: Editing): string {
  const text = contentOf(editing.buffer);
  editing.buffer = clearBuffer(editing.buffer);
  editing.walk = undefined;
  return text;
}

function enter(editing: Editing): void {
  const { line, options } = editing;
  const wasShown = line.isShown();
  line.leave('\n');
  // The next line of a paste starts in the first column.
  if (wasShown) line.begin(0);
  options.onLine(take(editing));
}

function interrupt(editing: Editing): void {
  const { line, options } = editing;
  const isTyped = take(editing) !== '' && line.isShown();
  if (!isTyped) return options.onInterrupt();
  line.leave('\n');
  options.onDropped();
}

function deleteOrEnd(editing: Editing): void {
  if (editing.buffer.text === '') editing.options.onEnd();
  else editing.buffer = editActions['delete-right'](editing.buffer);
}

function recall(editing: Editing, go: typeof olderEntry): void {
  const step = go(editing.walk ?? editing.options.history(), draftOf(editing.buffer));
  if (step === undefined) return;
  editing.walk = step.history;
  editing.buffer = withDraft(editing.buffer, step.draft);
}

const recallOlder = (editing: Editing) => recall(editing, olderEntry);
const recallNewer = (editing: Editing) => recall(editing, newerEntry);

/** Actions other than text edits. */
const lineActions: Partial<Record<KeyAction, (editing: Editing) => void>> = {
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
  complete: (editing) => void (editing.buffer = insert(editing.buffer, '\t')),
};

function press(editing: Editing, key: KeyPress): void {
  const action = actionOf(chordOf(key), 'composer');
  const act = action && lineActions[action];
  if (act !== undefined) act(editing);
  else if (action !== undefined && isEditAction(action)) {
    editing.buffer = editActions[action](editing.buffer);
  }
}

const show = ({ line, buffer }: Editing) => line.update(typedLine(buffer));

function type(editing: Editing, text: string): void {
  for (const [index, part] of text.split('\n').entries()) {
    if (index > 0) enter(editing);
    editing.buffer = insert(editing.buffer, part);
    show(editing);
  }
}

export function createLineEditor(options: LineEditorOptions): LineEditor {
  const line = createShownLine(options);
  const editing: Editing = { options, line, buffer: createBuffer(), walk: undefined };
  const onKeys = (events: readonly KeyEvent[]) => {
    for (const event of events) {
      if (event.type === 'key') press(editing, event);
      else type(editing, event.text);
      show(editing);
    }
  };
  const keys = createKeyInput(options.clock, onKeys, () => undefined);
  return {
    feed: (bytes) => keys.feed(bytes),
    show(column) {
      line.begin(column);
      show(editing);
    },
    hide: () => line.leave(''),
    stop: () => keys.stop(),
  };
}
