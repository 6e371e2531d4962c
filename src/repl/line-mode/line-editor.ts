import { editActions, isEditAction } from '../composer/edit-actions.ts';
import { newerEntry, olderEntry } from '../composer/history.ts';
import { type KeyAction, actionOf, keyOf } from '../composer/keys/key-bindings.ts';
import { chordOf, type KeyEvent, type KeyPress } from '../composer/keys/key-event.ts';
import { contentOf } from '../composer/paste.ts';
import {
  clearBuffer,
  createBuffer,
  draftOf,
  insert,
  replaceRange,
  withDraft,
  type Draft,
} from '../composer/text-buffer.ts';
import { mayBeDropped } from '../files/picking.ts';
import { createKeyInput } from '../screen/key-input.ts';
import { takeNext, type LineCompletion } from './line-completion.ts';
import { searchFor, searchFurther, type SearchStep } from './line-search.ts';
import {
  createShownLine,
  historyOf,
  type EditorState,
  type LineEditorOptions,
} from './line-state.ts';
import { typedLine } from './typed-line.ts';

/** Edits one line at a time on a raw terminal. Text typed while the line is not shown appears with the next `show`. */
export interface LineEditor {
  /** The line is the text to search for. */
  isSearching(): boolean;
  feed(bytes: Uint8Array): void;
  /** Shows the typed text from `column` on, after a question. */
  show(column: number): void;
  /** Moves the cursor to the end of the line, before other output. */
  hide(): void;
  stop(): void;
}

/** Clears the line. @returns the typed text */
function takeText(state: EditorState): string {
  const text = contentOf(state.buffer);
  state.buffer = clearBuffer(state.buffer);
  state.history = undefined;
  state.search = undefined;
  return text;
}

function takeCompletion(state: EditorState, { buffer, words, choices }: LineCompletion): void {
  const { line, options } = state;
  state.buffer = buffer;
  state.choices = choices && { of: buffer, choices };
  if (words !== undefined && line.isShown()) options.say(words);
}

/** In a paste, a tab is text. */
function complete(state: EditorState): void {
  const { options, buffer, choices, search: current } = state;
  if (current?.phase === 'asking' || !options.isPrompt()) return;
  if (state.tabs?.of === buffer) {
    state.tabs.count += 1;
    return;
  }
  const isSame = choices?.of === buffer;
  const completed = isSame ? takeNext(choices.choices) : options.complete(buffer);
  if (!(completed instanceof Promise)) return takeCompletion(state, completed);
  const tabs = { of: buffer, count: 0 };
  state.tabs = tabs;
  void completed.then((found) => {
    if (state.tabs === tabs) state.tabs = undefined;
    // Meanwhile the line may have changed.
    if (state.buffer !== buffer) return;
    takeCompletion(state, found);
    for (; tabs.count > 0; tabs.count -= 1) complete(state);
    show(state);
  });
}

function enter(state: EditorState): void {
  const { line, options } = state;
  if (state.search?.phase === 'asking') return endSearch(state, state.search.draft);
  state.hasEntered = true;
  const wasShown = line.isShown();
  line.leave('\n');
  // The next line of a paste starts in the first column.
  if (wasShown) line.begin(0);
  options.onLine(takeText(state));
}

function interrupt(state: EditorState): void {
  const { line, options } = state;
  if (state.search?.phase === 'asking') {
    state.buffer = clearBuffer(state.buffer);
    return endSearch(state, state.search.draft);
  }
  // Text typed while the line is not shown appears with the next question.
  if (!line.isShown() || takeText(state) === '') return options.onInterrupt();
  line.leave('\n');
  options.onCleared();
  options.onDiscarded();
}

function deleteOrEnd(state: EditorState): void {
  if (state.buffer.text === '') state.options.onEnd();
  else state.buffer = editActions['delete-right'](state.buffer);
}

function recall(state: EditorState, entryOf: typeof olderEntry): void {
  if (state.search?.phase === 'asking') return;
  const found = entryOf(historyOf(state), draftOf(state.buffer));
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
  complete,
  'search-start': pressSearch,
};

function press(state: EditorState, key: KeyPress): void {
  const action = actionOf(chordOf(key), 'composer', state.options.keyMap);
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
    insertText(state, part);
    show(state);
  }
}

/** Dropped files become mentions; Ctrl+_ brings their paths back. */
function insertText(state: EditorState, text: string): void {
  const { buffer, options } = state;
  const inserted = insert(buffer, text);
  const isPossible = options.isPrompt() && state.search?.phase !== 'asking';
  const mentions = isPossible && mayBeDropped(buffer, text) ? options.mentionsOf(text) : undefined;
  state.buffer =
    mentions === undefined
      ? inserted
      : replaceRange(inserted, buffer.cursor, inserted.cursor, `${mentions} `);
}

export function createLineEditor(options: LineEditorOptions): LineEditor {
  const line = createShownLine(options);
  const state: EditorState = {
    options,
    line,
    buffer: createBuffer(),
    history: undefined,
    search: undefined,
    choices: undefined,
    tabs: undefined,
    hasEntered: false,
  };
  const onKeys = (events: readonly KeyEvent[]) => {
    state.hasEntered = false;
    for (const [index, event] of events.entries()) {
      const isPasted = events[index + 1]?.type === 'text';
      if (event.type === 'key' && event.name === 'tab' && isPasted) type(state, '\t');
      else if (event.type === 'key') press(state, event);
      else type(state, event.text);
      show(state);
    }
    const isUnfinished = state.hasEntered && state.buffer.text !== '' && options.isPrompt();
    if (isUnfinished) options.onUnfinished();
  };
  const keys = createKeyInput(options.clock, onKeys, () => undefined);
  return {
    feed: (bytes) => keys.feed(bytes),
    show(column) {
      line.begin(column);
      show(state);
    },
    isSearching: () => state.search?.phase === 'asking',
    hide: () => line.leave(''),
    stop: () => keys.stop(),
  };
}

const searchKey = ({ options }: EditorState) => keyOf('search-start', options.keyMap) ?? 'Ctrl+R';

function apply(state: EditorState, step: SearchStep): void {
  state.search = step.search;
  if (step.found !== undefined) {
    state.history = step.found.history;
    state.buffer = withDraft(state.buffer, step.found.draft);
  }
  state.options.say(step.words);
}

/** Ends the question for the text to search for. */
function endSearch(state: EditorState, draft: Draft): void {
  const query = contentOf(state.buffer).trim();
  state.line.leave('\n');
  state.search = undefined;
  state.buffer = withDraft(clearBuffer(state.buffer), draft);
  state.options.onDiscarded();
  if (query !== '') apply(state, searchFor(historyOf(state), query, draft, searchKey(state)));
}

function isMatchShown({ search, buffer }: EditorState): boolean {
  return search?.phase === 'found' && search.text === buffer.text;
}

/** Ctrl+R: asks for a text, then shows older and older prompts that contain it. */
function pressSearch(state: EditorState): void {
  const { line, options, search: current, buffer } = state;
  if (!line.isShown() || !options.isPrompt()) return;
  if (current?.phase === 'asking') return endSearch(state, current.draft);
  if (current?.phase === 'found' && isMatchShown(state))
    return apply(state, searchFurther(historyOf(state), current, searchKey(state)));
  line.leave('\n');
  state.search = { phase: 'asking', draft: draftOf(buffer) };
  state.buffer = clearBuffer(buffer);
  options.onDiscarded();
}
