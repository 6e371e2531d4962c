import { Writable } from 'node:stream';
import { Failure } from '../../failure.ts';
import { Interruption } from './signals.ts';
import { closeSync, openSync } from 'node:fs';
import { ReadStream } from 'node:tty';

interface AskOptions {
  /** Typed text is not shown, for keys. */
  readonly hidden?: boolean;
  readonly signal?: AbortSignal;
  /** More questions follow: until `end`, typed text is not shown and answers the next question. */
  readonly keep?: boolean;
  /** Discards text typed before the question. */
  readonly discardTyped?: boolean;
}

export type Ask = ReturnType<typeof createAsk>;

/**
 * Keeps the terminal in raw mode, so that it echoes nothing between questions, and queues entered lines for the current
 * or next one.
 * @param interrupt called for Ctrl+C between two questions
 */
async function openDialogue(
  stdin: NodeJS.ReadStream,
  screen: NodeJS.WriteStream,
  interrupt: (reason: Interruption) => void,
) {
  // Few runs ask a question, and readline is slow to load.
  const { createInterface } = await import('node:readline');
  // The controlling terminal if standard input is not a terminal.
  const isOwn = stdin.isTTY || !hasControllingTerminal();
  const input = isOwn ? stdin : new ReadStream(openSync(device, 'r'));
  const typed: string[] = [];
  let isShown = false;
  /** Rejects the open question, which ends the dialogue. */
  let cancel: ((reason: unknown) => void) | undefined;
  const output = new Writable({
    write(chunk: Uint8Array, _encoding, done) {
      if (isShown) screen.write(chunk);
      done();
    },
  });
  // Readline wraps typed text at this width.
  Object.defineProperty(output, 'columns', { get: () => screen.columns });
  const lines = createInterface({ input, output, terminal: true, historySize: 0 });
  let hasEnded = false;
  const inputEnd = () => new Failure('usage', 'the input ended before an answer was given');
  const ended = () => {
    hasEnded = true;
    cancel?.(inputEnd());
  };
  lines.on('close', ended);
  lines.on('line', (line) => typed.push(line));
  lines.on('SIGINT', () => (cancel ?? interrupt)(new Interruption('SIGINT')));
  return {
    async ask(question: string, { hidden = false, discardTyped = false }: AskOptions) {
      if (discardTyped) {
        typed.length = 0;
        lines.write(null, { ctrl: true, name: 'u' });
      }
      const early = typed.shift();
      if (hidden || early !== undefined) screen.write(question);
      if (early !== undefined) return early;
      // It ended between two questions.
      if (hasEnded) throw inputEnd();
      return new Promise<string>((resolve, reject) => {
        cancel = reject;
        isShown = !hidden;
        lines.question(question, (line) => {
          // Synchronously: the rest of a paste answers the next question.
          isShown = false;
          cancel = undefined;
          resolve(line);
        });
      });
    },
    cancel: (reason: unknown) => cancel?.(reason),
    close() {
      lines.off('close', ended).close();
      if (input !== stdin) input.destroy();
    },
  };
}

/**
 * Asks on `output` (standard error, so that standard output stays clean) and reads from `input`, or from the controlling
 * terminal if that is a pipe.
 * @param flush waits until everything before the question is written
 * @param interrupt called for Ctrl+C between two questions
 */
export function createAsk(
  input: () => NodeJS.ReadStream,
  output: () => NodeJS.WriteStream,
  flush: () => Promise<void>,
  interrupt: (reason: Interruption) => void,
) {
  let dialogue: Awaited<ReturnType<typeof openDialogue>> | undefined;
  /** Restores the terminal after a question with `keep`. */
  const end = () => {
    dialogue?.close();
    dialogue = undefined;
  };
  /**
   * @returns the line without its end
   * @throws Failure of kind `usage` if the input ends; Interruption on Ctrl+C
   */
  const ask = async (question: string, options: AskOptions = {}): Promise<string> => {
    const { hidden, signal, keep } = options;
    signal?.throwIfAborted();
    // A long notice before the question may still wait for its terminal.
    await flush();
    const opened = (dialogue ??= await openDialogue(input(), output(), interrupt));
    const abort = () => opened.cancel(signal?.reason);
    signal?.addEventListener('abort', abort, { once: true });
    let isAnswered = false;
    try {
      signal?.throwIfAborted();
      const answer = await opened.ask(question, options);
      isAnswered = true;
      return answer;
    } finally {
      signal?.removeEventListener('abort', abort);
      if (hidden === true) output().write('\n');
      if (keep !== true || !isAnswered) end();
    }
  };
  return Object.assign(ask, { end });
}

/** The terminal that a process was started from, also if its standard input is a pipe; Windows has no such file. */
const device = '/dev/tty';

/** Whether a person can answer questions although standard input is not a terminal. */
export function hasControllingTerminal(): boolean {
  try {
    closeSync(openSync(device, 'r'));
    return true;
  } catch {
    // There is none, as in a service or a job of a scheduler.
    return false;
  }
}
