import type { Clock } from '../../clock.ts';
import { editActions, isEditAction } from '../composer/edit-actions.ts';
import {
  newerEntry,
  olderEntry,
  type History,
  acceptSearch,
  extendQuery,
  searchOlder,
  startSearch,
  type HistorySearch,
  type HistoryStep,
} from '../composer/history.ts';
import { type KeyAction, actionOf, keyOf, type KeyMap } from '../composer/keys/key-bindings.ts';
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
  type TextBuffer,
} from '../composer/text-buffer.ts';
import { mayBeDropped } from '../files/picking.ts';
import { createKeyInput } from '../screen/key-input.ts';
import { takeNext, type LineCompletion, type LineChoices } from './line-completion.ts';
import { typedLine, bytesToEnd, editBytes, nothingTyped, type LinePlace } from './typed-line.ts';

/** A search of earlier prompts, from Ctrl+R on. `draft` is the line before it. */
type LineSearch =
  | { readonly phase: 'asking'; readonly draft: Draft }
  | {
      readonly phase: 'found';
      readonly draft: Draft;
      readonly query: string;
      /** Newest first. */
      readonly matches: readonly HistorySearch[];
      /** Index of the match on the line. */
      readonly index: number;
      /** The text of that match; a changed line ends the search. */
      readonly text: string;
    };

/** The line after a step of the search, and what to say. */
interface SearchStep {
  readonly search: LineSearch | undefined;
  readonly found: HistoryStep | undefined;
  readonly words: string;
}

function matchesOf(history: History, query: string): readonly HistorySearch[] {
  const matches: HistorySearch[] = [];
  let search = extendQuery(history, startSearch(), query);
  while (!search.isFailed && search.match !== undefined) {
    matches.push(search);
    search = searchOlder(history, search);
  }
  return matches;
}

function matchWords(index: number, count: number, key: string): string {
  const older = index + 1 < count ? `; ${key} finds an older one` : '';
  return `match ${index + 1} of ${count}${older}`;
}

function stepOf(
  history: History,
  search: Omit<LineSearch & { readonly phase: 'found' }, 'text'>,
  key: string,
): SearchStep {
  const { matches, index, draft } = search;
  const match = matches[index];
  const found = match && acceptSearch(history, match, draft);
  return {
    search: { ...search, text: found?.draft.text ?? '' },
    found,
    words: matchWords(index, matches.length, key),
  };
}

/** Shows the newest prompt that contains the query; `key` finds an older one. */
function searchFor(history: History, query: string, draft: Draft, key: string): SearchStep {
  const matches = matchesOf(history, query);
  if (matches.length > 0)
    return stepOf(history, { phase: 'found', draft, query, matches, index: 0 }, key);
  return { search: undefined, found: undefined, words: `no earlier prompt contains "${query}"` };
}

/** Shows the next older match. */
function searchFurther(
  history: History,
  search: LineSearch & { readonly phase: 'found' },
  key: string,
): SearchStep {
  const index = search.index + 1;
  if (index < search.matches.length) return stepOf(history, { ...search, index }, key);
  return { search, found: undefined, words: `no older prompt contains "${search.query}"` };
}

export interface LineEditorOptions {
  readonly clock: Clock;
  readonly write: (text: string) => void;
  readonly columns: () => number;
  /** The default is {@link actionOf}. */
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
  search: LineSearch | undefined;
  /** Tabs pressed while the files of the line are looked for. */
  tabs: { readonly of: TextBuffer; count: number } | undefined;
  /** Choices for the line in `of`; a changed line ends them. */
  choices: { readonly of: TextBuffer; readonly choices: LineChoices } | undefined;
  /** A line was entered by the keys of this read. */
  hasEntered: boolean;
}

const historyOf = ({ history, options }: EditorState) => history ?? options.history();

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
