import { createDebounce } from '../../clock.ts';
import { sanitize, sanitizeLine } from '../../terminal/safety/sanitizer.ts';
import { hangText } from '../../terminal/text/rows.ts';
import { displayWidth } from '../../terminal/text/width.ts';
import { editActions, isEditAction } from '../composer/edit-actions.ts';
import {
  acceptMatch,
  entryBeside,
  extendQuery,
  type History,
  type HistorySearch,
  type HistoryStep,
  searchOlder,
  startSearch,
} from '../composer/history.ts';
import { actionOf, type KeyAction, keyOf } from '../composer/keys/key-bindings.ts';
import type { KeyEvent } from '../composer/keys/key-event.ts';
import { contentOf } from '../composer/paste.ts';
import {
  clearBuffer,
  createBuffer,
  type Draft,
  draftOf,
  insert,
  replaceRange,
  type TextBuffer,
  withDraft,
} from '../composer/text-buffer.ts';
import { mayBeDropped, mentionsOfPaths } from '../files/dropped-files.ts';
import { interruptLine } from '../keys.ts';
import { createKeyInput } from '../composer/keys/key-parser.ts';
import type { Repl, Screen, Session } from '../session.ts';
import type { ReplState } from '../state.ts';
import { quit } from '../step.ts';
import { enterLine } from '../update.ts';
import { completeLine, type LineCompletion } from './line-completion.ts';
import { asksForSecret, expectsPrompt, lineQuestion, progressOf } from './questions.ts';
import { editBytes, nothingTyped, typedLine, type TypedLine } from './typed-line.ts';

/** Milliseconds. Pasted lines follow each other faster than typed ones. */
const pastePause = 30;

/**
 * Shows a session as labelled lines, and never changes text that was written. Reads lines: those of a paste, and lines
 * that end with a backslash, are one text. Text typed while the line is not shown appears with the next question.
 */
export class LineScreen implements Screen {
  readonly #repl: Repl;
  /** Columns of a row, infinite to leave wrapping to the terminal. */
  readonly #width: () => number;
  /** Else the terminal edits the lines, except those with a secret. */
  readonly #editsLines: boolean;
  readonly #keys: ReturnType<typeof createKeyInput>;
  readonly #debounce: ReturnType<typeof createDebounce>;
  readonly #update: Session['update'];
  #state: ReplState;
  #releases: readonly (() => void)[] = [];

  /** An unanswered question at the end of the output. */
  #question: string | undefined;
  /** The output ends inside a line of an answer. */
  #isInLine = false;

  readonly #decoder = new TextDecoder();
  /** The start of a line whose end the terminal has not sent yet. */
  #unfinished = '';
  #collected: readonly string[] = [];
  /** A line was entered by the keys of this read. */
  #hasEntered = false;

  #buffer = createBuffer();
  /** What was typed before a secret is asked for, which has its own buffer: nothing of it can be put back later. */
  #beside = createBuffer();
  /** What the terminal shows of the buffer, and the column where it starts; undefined while the line is not shown. */
  #shown = nothingTyped;
  #column: number | undefined;
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

  constructor(
    repl: Repl,
    state: ReplState,
    update: Session['update'],
    editsLines: boolean,
    width: () => number,
  ) {
    const { clock } = repl.context;
    this.#repl = repl;
    this.#state = state;
    this.#update = update;
    this.#editsLines = editsLines;
    this.#width = width;
    this.#keys = createKeyInput(clock, (events) => this.#onKeys(events));
    this.#debounce = createDebounce(clock, () => this.#pass());
  }

  write(text: string): undefined {
    this.#writeText(text);
    this.#askLater();
  }

  show(state: ReplState): void {
    const before = this.#state;
    const wasSecret = asksForSecret(before);
    this.#state = state;
    if (asksForSecret(state) !== wasSecret) {
      const typed = this.#buffer;
      this.#buffer = this.#beside;
      this.#beside = wasSecret ? createBuffer() : typed;
      this.#adjust();
    }
    this.#writeProgress(before);
    this.#askLater();
  }

  redraw(): void {
    this.#question = undefined;
    this.#isInLine = false;
    this.#askLater();
  }

  scrollAway(): void {}

  async lend<Result>(use: () => Promise<Result>): Promise<Result> {
    this.#stop();
    try {
      return await use();
    } finally {
      this.start();
    }
  }

  suspend(): void {
    this.#stop();
    this.#repl.context.device.suspend(() => {
      this.start();
      this.redraw();
    });
  }

  async close(): Promise<void> {
    // The shell's prompt, or a last line of natter, starts on a separate row.
    if (this.#question !== undefined) this.#writeText('');
    this.#stop();
  }

  start(): void {
    const { device } = this.#repl.context;
    this.#adjust();
    this.#releases = [
      device.listen(
        (bytes) => this.#feed(bytes),
        () => this.#end(),
      ),
      device.on('SIGINT', () => this.#interruptSession()),
      device.on('SIGCONT', () => {
        // Off first: the shell has changed the mode while natter was suspended, which Node does not notice.
        device.setRaw(false);
        this.#adjust();
      }),
      device.on('exit', () => device.setRaw(false)),
    ];
  }

  #stop(): void {
    for (const release of this.#releases) release();
    this.#releases = [];
    this.#keys.stop();
    this.#repl.context.device.setRaw(false);
  }

  /** Turns the terminal's echo off for a secret. */
  #adjust(): void {
    this.#repl.context.device.setRaw(this.#editsLines || asksForSecret(this.#state));
  }

  #write(text: string): void {
    if (text !== '') void this.#repl.context.streams.stdout.write(text);
  }

  #writeText(text: string): void {
    this.#leaveLine('');
    const end = this.#question === undefined ? '' : '\n';
    this.#question = undefined;
    if (text !== '') this.#isInLine = !text.endsWith('\n');
    this.#write(end + text);
  }

  /** A notice on a separate row. */
  #writeNotice(text: string): void {
    const lead = this.#isInLine && this.#question === undefined ? '\n' : '';
    const notice = hangText(`natter: ${sanitizeLine(text)}`, this.#width());
    this.write(`${lead}${notice}\n`);
  }

  #askLater(): void {
    setImmediate(() => this.#ask());
  }

  #ask(): void {
    const asked = lineQuestion(this.#state, this.#draft !== undefined);
    if (asked === undefined) return;
    const question = hangText(asked, this.#width());
    if (question === this.#question) return;
    this.#writeText(question);
    this.#question = question;
    if (!this.#editsLines || asksForSecret(this.#state)) return;
    this.#shown = nothingTyped;
    this.#column = displayWidth(question.slice(question.lastIndexOf('\n') + 1));
    this.#drawLine(typedLine(this.#buffer));
  }

  /** Writes the notices that are new since the state before. */
  #writeProgress(before: ReplState): void {
    const { activity, keyMap, armed } = this.#state;
    if (armed === 'interrupt' && before.armed !== armed) {
      this.#writeNotice(`press ${keyOf('interrupt', keyMap)} again to quit`);
    }
    const progress = progressOf(this.#state);
    const last = progressOf(before);
    // Separates the notice about the stall from the rest of the answer.
    if (last?.isStalled === true && progress?.isStalled !== true && activity?.type === 'answer') {
      this.#writeNotice(`${activity.model} continues`);
    }
    if (progress !== undefined && progress.key !== last?.key) this.#writeNotice(progress.text);
  }

  #feed(bytes: Uint8Array): void {
    if (this.#editsLines || asksForSecret(this.#state)) return this.#keys.feed(bytes);
    const text = this.#unfinished + this.#decoder.decode(bytes, { stream: true });
    const lines = text.split(/\r\n|\n|\r(?!$)/);
    this.#unfinished = lines.pop() ?? '';
    // A terminal that edits lines itself passes on arrow keys as escape sequences.
    for (const line of lines) this.#collect(sanitize(line));
    return undefined;
  }

  /** Takes an entered line; the cursor is on the next row. */
  #collect(line: string): void {
    if (asksForSecret(this.#state)) {
      // The terminal has not echoed it.
      this.#write('\n');
      return this.#answer(line);
    }
    this.#collected = [...this.#collected, line];
    return this.#debounce.restart(pastePause);
  }

  #pass(): void {
    const text = this.#collected.join('\n');
    // A backslash at the end of a line becomes a line end, so the next line is waited for.
    if (this.#collected.length === 0 || text.endsWith('\\')) return;
    this.#collected = [];
    this.#answer(text.replaceAll('\\\n', '\n'));
  }

  #answer(text: string): void {
    this.#leaveLine('');
    this.#question = undefined;
    this.#isInLine = false;
    this.#update((state) => enterLine(state, text));
  }

  #discard(): void {
    this.#collected = [];
    this.#debounce.cancel();
  }

  #interruptSession(): void {
    this.#discard();
    this.#update(interruptLine);
  }

  #end(): void {
    this.#debounce.cancel();
    const last = this.#unfinished + this.#decoder.decode();
    if (last !== '') this.#collected = [...this.#collected, last];
    this.#pass();
    this.#update(quit);
  }

  /** Writes the bytes that change the shown line, unless it is not shown. */
  #drawLine(next: TypedLine, ending = ''): void {
    const last = this.#shown;
    this.#shown = next;
    if (this.#column === undefined) return;
    const columns = this.#repl.context.streams.stdout.columns();
    this.#write(editBytes(last, next, this.#column, columns) + ending);
  }

  /** Moves the cursor to the end of the line, before other output. */
  #leaveLine(ending: string): void {
    const { shown } = this.#shown;
    this.#drawLine({ shown, caret: shown.length }, ending);
    this.#column = undefined;
  }

  #onKeys(events: readonly KeyEvent[]): void {
    const isSecret = asksForSecret(this.#state);
    this.#hasEntered = false;
    for (const [index, event] of events.entries()) {
      // What follows a secret in a paste may be a part of it.
      if (isSecret && !asksForSecret(this.#state)) return;
      // In a paste, a tab is text.
      const isPasted = events[index + 1]?.type === 'text';
      if (event.type !== 'key') this.#type(event.text);
      else if (event.name === 'tab' && isPasted) this.#type('\t');
      else this.#press(actionOf(event, 'composer', this.#state.keyMap));
      this.#drawLine(typedLine(this.#buffer));
    }
    // A paste ended inside a line: the lines before it wait for its end.
    const isUnfinished = this.#hasEntered && this.#buffer.text !== '';
    if (isUnfinished && expectsPrompt(this.#state)) this.#debounce.cancel();
  }

  readonly #actions: Partial<Record<KeyAction, () => void>> = {
    send: () => this.#enter(),
    'new-line': () => this.#enter(),
    interrupt: () => this.#interrupt(),
    suspend: () => this.suspend(),
    'delete-right-or-quit': () => {
      if (this.#buffer.text === '') this.#end();
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

  #press(action: KeyAction | undefined): void {
    if (action === undefined) return;
    const act = this.#actions[action];
    if (act !== undefined) act();
    else if (isEditAction(action)) this.#buffer = editActions[action](this.#buffer);
  }

  #type(text: string): void {
    const isSecret = asksForSecret(this.#state);
    for (const [index, part] of text.split('\n').entries()) {
      if (index > 0) this.#enter();
      if (isSecret && !asksForSecret(this.#state)) return;
      this.#insert(part);
      this.#drawLine(typedLine(this.#buffer));
    }
  }

  /** Whether the line is a prompt, not the answer to a question. */
  #isPrompt(): boolean {
    return expectsPrompt(this.#state) && this.#draft === undefined;
  }

  /** Dropped files become mentions; Ctrl+_ brings their paths back. */
  #insert(text: string): void {
    const buffer = this.#buffer;
    const inserted = insert(buffer, text);
    const isPossible = this.#isPrompt() && mayBeDropped(buffer, text);
    const mentions = isPossible ? mentionsOfPaths(this.#repl.files, text) : undefined;
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
    this.#leaveLine('\n');
    this.#shown = nothingTyped;
    // The next line of a paste starts in the first column.
    if (wasShown) this.#column = 0;
    return this.#collect(this.#takeText());
  }

  #interrupt(): void {
    if (this.#draft !== undefined) {
      this.#buffer = clearBuffer(this.#buffer);
      return this.#endSearch(this.#draft);
    }
    // Text typed while the line is not shown appears with the next question.
    if (this.#column === undefined || this.#takeText() === '') return this.#interruptSession();
    this.#leaveLine('\n');
    this.#discard();
    return this.redraw();
  }

  #recall(by: -1 | 1): void {
    if (this.#isPrompt()) this.#put(entryBeside(this.#earlier(), by, draftOf(this.#buffer)));
  }

  #earlier(): History {
    return this.#history ?? this.#state.history;
  }

  #put(found: HistoryStep | undefined): void {
    if (found === undefined) return;
    this.#history = found.history;
    this.#buffer = withDraft(this.#buffer, found.draft);
  }

  async #complete(): Promise<void> {
    const buffer = this.#buffer;
    if (!this.#isPrompt()) return;
    const found = await completeLine(this.#repl, this.#state, buffer, this.#completion);
    // Meanwhile the line may have changed.
    if (this.#buffer !== buffer) return;
    this.#buffer = found.buffer;
    this.#completion = found;
    if (found.words !== undefined && this.#column !== undefined) this.#writeNotice(found.words);
    this.#drawLine(typedLine(this.#buffer));
  }

  /** Ctrl+R: asks for a text, then shows older and older prompts that contain it. */
  #pressSearch(): void {
    if (this.#draft !== undefined) return this.#endSearch(this.#draft);
    if (this.#column === undefined || !this.#isPrompt()) return undefined;
    const last = this.#match;
    if (last?.buffer === this.#buffer) {
      return this.#showMatch(last.draft, searchOlder(last.search), 'older');
    }
    this.#leaveLine('\n');
    this.#draft = draftOf(this.#buffer);
    this.#buffer = clearBuffer(this.#buffer);
    return this.redraw();
  }

  /** Ends the question for the text to search for. */
  #endSearch(draft: Draft): void {
    const query = contentOf(this.#buffer).trim();
    this.#leaveLine('\n');
    this.#draft = undefined;
    this.#buffer = withDraft(this.#buffer, draft);
    this.redraw();
    if (query === '') return;
    this.#showMatch(draft, extendQuery(this.#earlier(), startSearch(), query), 'earlier');
  }

  #showMatch(draft: Draft, search: HistorySearch, which: 'earlier' | 'older'): void {
    const { matches, match = 0, query, isFailed } = search;
    if (isFailed) return this.#writeNotice(`no ${which} prompt contains "${query}"`);
    this.#put(acceptMatch(this.#earlier(), match, draft));
    this.#match = { search, draft, buffer: this.#buffer };
    const number = matches.indexOf(match) + 1;
    const key = keyOf('search-start', this.#state.keyMap) ?? 'Ctrl+R';
    const older = number < matches.length ? `; ${key} finds an older one` : '';
    return this.#writeNotice(`match ${number} of ${matches.length}${older}`);
  }
}
