import type { Context } from '../../run.ts';
import { sanitize, sanitizeLine } from '../../terminal/safety/sanitizer.ts';
import { hangText } from '../../terminal/text/rows.ts';
import { displayWidth } from '../../terminal/text/width.ts';
import { neededKeyOf } from '../composer/keys/key-bindings.ts';
import { interruptLine } from '../keys.ts';
import type { Screen, Session } from '../session.ts';
import type { ReplState } from '../state.ts';
import { quit } from '../step.ts';
import { createDebounce } from '../timers.ts';
import { enterLine } from '../update.ts';
import { LineEditor, type LineReceiver } from './line-editor.ts';
import { asksForSecret, lineQuestion, type Progress, progressOf } from './questions.ts';

/** Splits the input of a cooked terminal into lines, whose UTF-8 bytes may arrive split anywhere. */
export function createLineReader() {
  const decoder = new TextDecoder('utf-8');
  let rest = '';
  return {
    /** @returns the completed lines without line ends */
    feed(bytes: Uint8Array): readonly string[] {
      const lines = (rest + decoder.decode(bytes, { stream: true })).split(/\r\n|\n|\r(?!$)/);
      rest = lines.pop() ?? '';
      return lines;
    },
    /** The text after the last line end; undefined if empty. */
    end(): string | undefined {
      const last = rest + decoder.decode();
      rest = '';
      return last === '' ? undefined : last;
    },
  };
}

/** Milliseconds. Pasted lines follow each other faster than typed ones. */
const pastePause = 30;

/**
 * Shows a session as labelled lines, and never changes text that was written. Reads lines: those of a paste, and lines
 * that end with a backslash, are one text.
 */
export class LineScreen implements Screen, LineReceiver {
  readonly #context: Context;
  readonly #width: () => number;
  #session: Session | undefined;
  /** Undefined if the terminal edits the lines. */
  #editor: LineEditor | undefined;
  readonly #reader = createLineReader();
  /** The editor of a hidden line, which is not shown. */
  #hidden: LineEditor | undefined;
  #collected: readonly string[] = [];
  readonly #debounce: ReturnType<typeof createDebounce>;
  #releases: readonly (() => void)[] = [];
  #state: ReplState | undefined;
  /** An unanswered question at the end of the output. */
  #question: string | undefined;
  /** The output ends inside a line of an answer. */
  #isInLine = false;
  #progress: Progress | undefined;
  #wasArmed = false;

  /** @param width columns of a row, infinite to leave wrapping to the terminal */
  constructor(context: Context, width: () => number) {
    this.#context = context;
    this.#width = width;
    this.#debounce = createDebounce(context.clock, () => this.#pass());
  }

  /** Starts to read lines for a session. */
  open(session: Session, editsLines: boolean): void {
    this.#session = session;
    if (editsLines) this.#editor = new LineEditor(session, this);
    this.#start();
  }

  write(text: string): undefined {
    this.#writeText(text);
    this.#askLater();
  }

  say(words: string): void {
    this.write(this.#noticeOf(words));
  }

  show(state: ReplState): void {
    this.#state = state;
    this.#writeProgress(state);
    this.#askLater();
    this.#adjust();
  }

  redraw(): void {
    this.#question = undefined;
    this.#askLater();
  }

  scrollAway(): void {}

  async lend<Result>(use: () => Promise<Result>): Promise<Result> {
    this.#stop();
    try {
      return await use();
    } finally {
      this.#start();
    }
  }

  suspend(): void {
    this.#stop();
    this.#context.device.suspend(() => {
      this.#start();
      this.redraw();
    });
  }

  async close(): Promise<void> {
    // The shell's prompt, or a last line of natter, starts on a separate row.
    if (this.#question !== undefined) this.#writeText('');
    this.#stop();
  }

  #start(): void {
    const { device } = this.#context;
    this.#adjust();
    this.#releases = [
      device.listen(
        (bytes) => this.#feed(bytes),
        () => this.end(),
      ),
      device.on('SIGINT', () => this.interrupt()),
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
    this.#editor?.stop();
    this.#context.device.setRaw(false);
  }

  #isSecret(): boolean {
    return this.#state !== undefined && asksForSecret(this.#state);
  }

  /** Turns the terminal's echo off for a secret. */
  #adjust(): void {
    if (this.#session === undefined) return;
    this.#context.device.setRaw(this.#editor !== undefined || this.#isSecret());
  }

  #feed(bytes: Uint8Array): void {
    if (this.#isSecret() && this.#session !== undefined) {
      this.#hidden ??= new LineEditor(this.#session, this);
      this.#hidden.feed(bytes);
    } else if (this.#editor !== undefined) this.#editor.feed(bytes);
    // A terminal that edits lines itself passes on arrow keys as escape sequences.
    else this.collect(this.#reader.feed(bytes).map(sanitize));
  }

  collect(lines: readonly string[]): void {
    if (this.#isSecret()) {
      // The terminal has not echoed it.
      void this.#context.streams.stdout.write('\n');
      return this.#enter(lines.join(' '));
    }
    this.#collected = [...this.#collected, ...lines];
    return this.#debounce.restart(pastePause);
  }

  #pass(): void {
    const text = this.#collected.join('\n');
    // A backslash at the end of a line becomes a line end, so the next line is waited for.
    if (this.#collected.length === 0 || text.endsWith('\\')) return;
    this.#collected = [];
    this.#enter(text.replaceAll('\\\n', '\n'));
  }

  /** The cursor is on the row after the line. */
  #enter(text: string): void {
    this.#editor?.hide();
    this.#hidden = undefined;
    this.#question = undefined;
    this.#isInLine = false;
    this.#session?.update((state) => enterLine(state, text));
  }

  wait(): void {
    this.#debounce.cancel();
  }

  discard(): void {
    this.#collected = [];
    this.#debounce.cancel();
  }

  interrupt(): void {
    this.discard();
    this.#hidden = undefined;
    this.#session?.update(interruptLine);
  }

  end(): void {
    this.#debounce.cancel();
    const last = this.#reader.end();
    if (last !== undefined) this.#collected = [...this.#collected, last];
    this.#pass();
    this.#session?.update(quit);
  }

  #writeText(text: string): void {
    this.#editor?.hide();
    const end = this.#question === undefined ? '' : '\n';
    this.#question = undefined;
    if (text !== '') this.#isInLine = !text.endsWith('\n');
    void this.#context.streams.stdout.write(end + text);
  }

  #writeNotice(text: string): void {
    const lead = this.#isInLine && this.#question === undefined ? '\n' : '';
    this.#writeText(lead + this.#noticeOf(text));
  }

  #noticeOf(text: string): string {
    return `${hangText(`natter: ${sanitizeLine(text)}`, this.#width())}\n`;
  }

  #askLater(): void {
    setImmediate(() => this.#ask());
  }

  #ask(): void {
    const asked = this.#state && lineQuestion(this.#state, this.#editor?.isSearching() === true);
    if (asked === undefined) return;
    const question = hangText(asked, this.#width());
    if (question === this.#question) return;
    this.#writeText(question);
    this.#question = question;
    const column = displayWidth(question.slice(question.lastIndexOf('\n') + 1));
    if (!this.#isSecret()) this.#editor?.show(column);
  }

  /** Writes each notice once. */
  #writeProgress(state: ReplState): void {
    const { activity, keyMap } = state;
    const isArmed = state.armed === 'interrupt';
    if (isArmed && !this.#wasArmed) {
      this.#writeNotice(`press ${neededKeyOf('interrupt', keyMap)} again to quit`);
    }
    this.#wasArmed = isArmed;
    const answer = activity?.type === 'answer' ? activity : undefined;
    const progress = answer && progressOf(answer, state);
    const last = this.#progress;
    this.#progress = progress;
    // Separates the notice about the stall from the rest of the answer.
    if (last?.isStalled === true && progress?.isStalled !== true && answer !== undefined) {
      this.#writeNotice(`${answer.model} continues`);
    }
    if (progress !== undefined && progress.key !== last?.key) this.#writeNotice(progress.text);
  }
}
