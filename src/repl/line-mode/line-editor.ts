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
import { actionOf, keyOf, type KeyAction, type KeyMap } from '../composer/keys/key-bindings.ts';
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
import { typedLine, bytesToEnd, editBytes, nothingTyped } from './typed-line.ts';

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

function matchesOf(history: History, query: string): readonly HistorySearch[] {
  const matches: HistorySearch[] = [];
  let search = extendQuery(history, startSearch(), query);
  while (!search.isFailed && search.match !== undefined) {
    matches.push(search);
    search = searchOlder(history, search);
  }
  return matches;
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

/** Edits one line at a time on a raw terminal. Text typed while the line is not shown appears with the next `show`. */
export class LineEditor {
  readonly #options: LineEditorOptions;
  readonly #keys: ReturnType<typeof createKeyInput>;
  /** What the terminal shows, and the column where it starts; undefined while the line is not shown. */
  #shown = nothingTyped;
  #column: number | undefined;
  #buffer = createBuffer();
  /** With its position among the earlier prompts; undefined if none was recalled. */
  #history: History | undefined;
  #search: LineSearch | undefined;
  /** Tabs pressed while the files of the line are looked for. */
  #tabs: { readonly of: TextBuffer; count: number } | undefined;
  /** Choices for the line in `of`; a changed line ends them. */
  #choices: { readonly of: TextBuffer; readonly choices: LineChoices } | undefined;
  /** A line was entered by the keys of this read. */
  #hasEntered = false;

  constructor(options: LineEditorOptions) {
    this.#options = options;
    this.#keys = createKeyInput(
      options.clock,
      (events) => this.#onKeys(events),
      () => undefined,
    );
  }

  feed(bytes: Uint8Array): void {
    this.#keys.feed(bytes);
  }

  /** Shows the typed text from `column` on, after a question. */
  show(column: number): void {
    this.#begin(column);
    this.#update();
  }

  /** Moves the cursor to the end of the line, before other output. */
  hide(): void {
    this.#leave('');
  }

  /** Whether the line is the text to search for. */
  isSearching(): boolean {
    return this.#search?.phase === 'asking';
  }

  stop(): void {
    this.#keys.stop();
  }

  #begin(column: number): void {
    this.#shown = nothingTyped;
    this.#column = column;
  }

  #update(): void {
    const column = this.#column;
    if (column === undefined) return;
    const next = typedLine(this.#buffer);
    const bytes = editBytes(this.#shown, next, { column, columns: this.#options.columns() });
    this.#shown = next;
    if (bytes !== '') this.#options.write(bytes);
  }

  #leave(ending: string): void {
    const column = this.#column;
    if (column === undefined) return;
    const bytes = bytesToEnd(this.#shown, { column, columns: this.#options.columns() }) + ending;
    this.#column = undefined;
    if (bytes !== '') this.#options.write(bytes);
  }

  #onKeys(events: readonly KeyEvent[]): void {
    this.#hasEntered = false;
    for (const [index, event] of events.entries()) {
      // In a paste, a tab is text.
      const isPasted = events[index + 1]?.type === 'text';
      if (event.type === 'key' && event.name === 'tab' && isPasted) this.#type('\t');
      else if (event.type === 'key') this.#press(event);
      else this.#type(event.text);
      this.#update();
    }
    const isUnfinished = this.#hasEntered && this.#buffer.text !== '' && this.#options.isPrompt();
    if (isUnfinished) this.#options.onUnfinished();
  }

  readonly #actions: Partial<Record<KeyAction, () => void>> = {
    send: () => this.#enter(),
    'new-line': () => this.#enter(),
    interrupt: () => this.#interrupt(),
    suspend: () => this.#options.onSuspend(),
    'delete-right-or-quit': () => {
      if (this.#buffer.text === '') this.#options.onEnd();
      else this.#buffer = editActions['delete-right'](this.#buffer);
    },
    'move-up': () => this.#recall(olderEntry),
    'history-older': () => this.#recall(olderEntry),
    'move-down': () => this.#recall(newerEntry),
    'history-newer': () => this.#recall(newerEntry),
    complete: () => this.#complete(),
    'search-start': () => this.#pressSearch(),
  };

  #press(key: KeyPress): void {
    const action = actionOf(chordOf(key), 'composer', this.#options.keyMap);
    if (action === undefined) return;
    const act = this.#actions[action];
    if (act !== undefined) act();
    else if (isEditAction(action)) this.#buffer = editActions[action](this.#buffer);
  }

  #type(text: string): void {
    for (const [index, part] of text.split('\n').entries()) {
      if (index > 0) this.#enter();
      this.#insert(part);
      this.#update();
    }
  }

  /** Dropped files become mentions; Ctrl+_ brings their paths back. */
  #insert(text: string): void {
    const buffer = this.#buffer;
    const inserted = insert(buffer, text);
    const isPossible = this.#options.isPrompt() && !this.isSearching();
    const mentions =
      isPossible && mayBeDropped(buffer, text) ? this.#options.mentionsOf(text) : undefined;
    this.#buffer =
      mentions === undefined
        ? inserted
        : replaceRange(inserted, buffer.cursor, inserted.cursor, `${mentions} `);
  }

  /** Clears the line. @returns the typed text */
  #takeText(): string {
    const text = contentOf(this.#buffer);
    this.#buffer = clearBuffer(this.#buffer);
    this.#history = undefined;
    this.#search = undefined;
    return text;
  }

  #enter(): void {
    if (this.#search?.phase === 'asking') return this.#endSearch(this.#search.draft);
    this.#hasEntered = true;
    const wasShown = this.#column !== undefined;
    this.#leave('\n');
    // The next line of a paste starts in the first column.
    if (wasShown) this.#begin(0);
    return this.#options.onLine(this.#takeText());
  }

  #interrupt(): void {
    if (this.#search?.phase === 'asking') {
      this.#buffer = clearBuffer(this.#buffer);
      return this.#endSearch(this.#search.draft);
    }
    // Text typed while the line is not shown appears with the next question.
    if (this.#column === undefined || this.#takeText() === '') return this.#options.onInterrupt();
    this.#leave('\n');
    this.#options.onCleared();
    return this.#options.onDiscarded();
  }

  #recall(entryOf: typeof olderEntry): void {
    if (this.isSearching()) return;
    this.#put(entryOf(this.#earlier(), draftOf(this.#buffer)));
  }

  #earlier(): History {
    return this.#history ?? this.#options.history();
  }

  #put(found: HistoryStep | undefined): void {
    if (found === undefined) return;
    this.#history = found.history;
    this.#buffer = withDraft(this.#buffer, found.draft);
  }

  #complete(): void {
    const buffer = this.#buffer;
    if (this.isSearching() || !this.#options.isPrompt()) return;
    if (this.#tabs?.of === buffer) {
      this.#tabs.count += 1;
      return;
    }
    const choices = this.#choices?.of === buffer ? this.#choices.choices : undefined;
    const completed = choices ? takeNext(choices) : this.#options.complete(buffer);
    if (!(completed instanceof Promise)) return this.#takeCompletion(completed);
    const tabs = { of: buffer, count: 0 };
    this.#tabs = tabs;
    void completed.then((found) => {
      if (this.#tabs === tabs) this.#tabs = undefined;
      // Meanwhile the line may have changed.
      if (this.#buffer !== buffer) return;
      this.#takeCompletion(found);
      for (; tabs.count > 0; tabs.count -= 1) this.#complete();
      this.#update();
    });
  }

  #takeCompletion({ buffer, words, choices }: LineCompletion): void {
    this.#buffer = buffer;
    this.#choices = choices && { of: buffer, choices };
    if (words !== undefined && this.#column !== undefined) this.#options.say(words);
  }

  /** Ctrl+R: asks for a text, then shows older and older prompts that contain it. */
  #pressSearch(): void {
    const search = this.#search;
    if (this.#column === undefined || !this.#options.isPrompt()) return;
    if (search?.phase === 'asking') return this.#endSearch(search.draft);
    if (search?.phase === 'found' && search.text === this.#buffer.text) {
      return this.#showMatch(search, search.index + 1);
    }
    this.#leave('\n');
    this.#search = { phase: 'asking', draft: draftOf(this.#buffer) };
    this.#buffer = clearBuffer(this.#buffer);
    this.#options.onDiscarded();
  }

  /** Ends the question for the text to search for. */
  #endSearch(draft: Draft): void {
    const query = contentOf(this.#buffer).trim();
    this.#leave('\n');
    this.#search = undefined;
    this.#buffer = withDraft(clearBuffer(this.#buffer), draft);
    this.#options.onDiscarded();
    if (query === '') return;
    const matches = matchesOf(this.#earlier(), query);
    this.#showMatch({ phase: 'found', draft, query, matches, index: 0, text: '' }, 0);
  }

  #showMatch(search: LineSearch & { readonly phase: 'found' }, index: number): void {
    const { matches, query, draft } = search;
    const match = matches[index];
    if (match === undefined) {
      const which = index === 0 ? 'earlier' : 'older';
      return this.#options.say(`no ${which} prompt contains "${query}"`);
    }
    this.#put(acceptSearch(this.#earlier(), match, draft));
    this.#search = { ...search, index, text: this.#buffer.text };
    const key = keyOf('search-start', this.#options.keyMap) ?? 'Ctrl+R';
    const older = index + 1 < matches.length ? `; ${key} finds an older one` : '';
    return this.#options.say(`match ${index + 1} of ${matches.length}${older}`);
  }
}
