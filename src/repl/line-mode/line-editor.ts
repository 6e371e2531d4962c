import { editActions, isEditAction } from '../composer/edit-actions.ts';
import {
  entryBeside,
  type History,
  acceptSearch,
  extendQuery,
  searchOlder,
  startSearch,
  type HistorySearch,
  type HistoryStep,
} from '../composer/history.ts';
import { actionOf, keyOf, type KeyAction } from '../composer/keys/key-bindings.ts';
import type { KeyEvent, KeyPress } from '../composer/keys/key-event.ts';
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
import { mayBeDropped, mentionsOfPaths } from '../files/dropped-files.ts';
import { createKeyInput } from '../composer/keys/key-parser.ts';
import type { Session } from '../session.ts';
import { completeLine, takeNext, type LineCompletion } from './line-completion.ts';
import { expectsPrompt } from './questions.ts';
import { editBytes, nothingTyped, typedLine, type TypedLine } from './typed-line.ts';

/** What an editor of lines reports. */
export interface LineReceiver {
  /** Takes an entered line; the cursor is on the next row. */
  collect(lines: readonly string[]): void;
  /** A paste ended inside a line: the lines before it wait for its end. */
  wait(): void;
  /** Ctrl+C discarded the typed text. */
  discard(): void;
  /** Ctrl+C on an empty line, or while the line is not shown. */
  interrupt(): void;
  /** Ctrl+D on an empty line. */
  end(): void;
  /** Writes a notice above the line. */
  say(words: string): void;
}

/** Edits one line at a time on a raw terminal. Text typed while the line is not shown appears with the next `show`. */
export class LineEditor {
  readonly #session: Session;
  readonly #receiver: LineReceiver;
  readonly #keys: ReturnType<typeof createKeyInput>;
  /** What the terminal shows, and the column where it starts; undefined while the line is not shown. */
  #shown = nothingTyped;
  #column: number | undefined;
  #buffer = createBuffer();
  /** The recalled prompt with its position among the earlier ones; undefined if none was recalled. */
  #history: History | undefined;
  /** The line before Ctrl+R, while the text to search for is typed. */
  #draft: Draft | undefined;
  /** The last match; a changed line ends the search. */
  #match:
    | { readonly search: HistorySearch; readonly draft: Draft; readonly buffer: TextBuffer }
    | undefined;
  /** Resolves when the choices are found for each Tab so far. */
  #completed: Promise<void> = Promise.resolve();
  /** The last completion; a changed line ends its choices. */
  #completion: LineCompletion | undefined;
  /** A line was entered by the keys of this read. */
  #hasEntered = false;

  constructor(session: Session, receiver: LineReceiver) {
    this.#session = session;
    this.#receiver = receiver;
    this.#keys = createKeyInput(session.context.clock, (events) => this.#onKeys(events));
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
    return this.#draft !== undefined;
  }

  stop(): void {
    this.#keys.stop();
  }

  #begin(column: number): void {
    this.#shown = nothingTyped;
    this.#column = column;
  }

  /** Writes the bytes that change the shown line, unless it is not shown. */
  #draw(next: TypedLine, ending = ''): void {
    const { stdout } = this.#session.context.streams;
    const last = this.#shown;
    this.#shown = next;
    if (this.#column === undefined) return;
    const bytes = editBytes(last, next, this.#column, stdout.columns()) + ending;
    if (bytes !== '') void stdout.write(bytes);
  }

  #update(): void {
    this.#draw(typedLine(this.#buffer));
  }

  #leave(ending: string): void {
    const { shown } = this.#shown;
    this.#draw({ shown, caret: shown.length }, ending);
    this.#column = undefined;
  }

  /** Whether the line is a prompt, not the answer to a question. */
  #isPrompt(): boolean {
    return expectsPrompt(this.#session.state());
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
    const isUnfinished = this.#hasEntered && this.#buffer.text !== '' && this.#isPrompt();
    if (isUnfinished) this.#receiver.wait();
  }

  readonly #actions: Partial<Record<KeyAction, () => void>> = {
    send: () => this.#enter(),
    'new-line': () => this.#enter(),
    interrupt: () => this.#interrupt(),
    suspend: () => this.#session.screen.suspend(),
    'delete-right-or-quit': () => {
      if (this.#buffer.text === '') this.#receiver.end();
      else this.#buffer = editActions['delete-right'](this.#buffer);
    },
    'move-up': () => this.#recall(-1),
    'history-older': () => this.#recall(-1),
    'move-down': () => this.#recall(1),
    'history-newer': () => this.#recall(1),
    complete: () => {
      this.#completed = this.#completed.then(() => this.#complete());
    },
    'search-start': () => this.#pressSearch(),
  };

  #press(key: KeyPress): void {
    const action = actionOf(key, 'composer', this.#session.state().keyMap);
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
    const isPossible = this.#isPrompt() && !this.isSearching() && mayBeDropped(buffer, text);
    const mentions = isPossible ? mentionsOfPaths(this.#session.files, text) : undefined;
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
    return text;
  }

  #enter(): void {
    if (this.#draft !== undefined) return this.#endSearch(this.#draft);
    this.#hasEntered = true;
    const wasShown = this.#column !== undefined;
    this.#leave('\n');
    // The next line of a paste starts in the first column.
    if (wasShown) this.#begin(0);
    return this.#receiver.collect([this.#takeText()]);
  }

  #interrupt(): void {
    if (this.#draft !== undefined) {
      this.#buffer = clearBuffer(this.#buffer);
      return this.#endSearch(this.#draft);
    }
    // Text typed while the line is not shown appears with the next question.
    if (this.#column === undefined || this.#takeText() === '') return this.#receiver.interrupt();
    this.#leave('\n');
    this.#receiver.discard();
    return this.#session.screen.redraw();
  }

  #recall(by: -1 | 1): void {
    if (this.isSearching() || !this.#isPrompt()) return;
    this.#put(entryBeside(this.#earlier(), by, draftOf(this.#buffer)));
  }

  #earlier(): History {
    return this.#history ?? this.#session.state().history;
  }

  #put(found: HistoryStep | undefined): void {
    if (found === undefined) return;
    this.#history = found.history;
    this.#buffer = withDraft(this.#buffer, found.draft);
  }

  async #complete(): Promise<void> {
    const buffer = this.#buffer;
    if (this.isSearching() || !this.#isPrompt()) return;
    const last = this.#completion?.buffer === buffer ? this.#completion : undefined;
    const found = (last && takeNext(last)) ?? (await completeLine(this.#session, buffer));
    // Meanwhile the line may have changed.
    if (this.#buffer !== buffer) return;
    this.#buffer = found.buffer;
    this.#completion = found;
    if (found.words !== undefined && this.#column !== undefined) this.#receiver.say(found.words);
    this.#update();
  }

  /** Ctrl+R: asks for a text, then shows older and older prompts that contain it. */
  #pressSearch(): void {
    if (this.#column === undefined || !this.#isPrompt()) return;
    if (this.#draft !== undefined) return this.#endSearch(this.#draft);
    const last = this.#match;
    if (last?.buffer === this.#buffer) {
      return this.#showMatch(last.draft, searchOlder(last.search), 'older');
    }
    this.#leave('\n');
    this.#draft = draftOf(this.#buffer);
    this.#buffer = clearBuffer(this.#buffer);
    this.#session.screen.redraw();
  }

  /** Ends the question for the text to search for. */
  #endSearch(draft: Draft): void {
    const query = contentOf(this.#buffer).trim();
    this.#leave('\n');
    this.#draft = undefined;
    this.#buffer = withDraft(this.#buffer, draft);
    this.#session.screen.redraw();
    if (query === '') return;
    this.#showMatch(draft, extendQuery(this.#earlier(), startSearch(), query), 'earlier');
  }

  #showMatch(draft: Draft, search: HistorySearch, which: 'earlier' | 'older'): void {
    const { matches, match = 0, query, isFailed } = search;
    if (isFailed) return this.#receiver.say(`no ${which} prompt contains "${query}"`);
    this.#put(acceptSearch(this.#earlier(), search, draft));
    this.#match = { search, draft, buffer: this.#buffer };
    const number = matches.indexOf(match) + 1;
    const key = keyOf('search-start', this.#session.state().keyMap) ?? 'Ctrl+R';
    const older = number < matches.length ? `; ${key} finds an older one` : '';
    return this.#receiver.say(`match ${number} of ${matches.length}${older}`);
  }
}
