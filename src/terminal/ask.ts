import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { Failure } from '../failure.ts';
import { Interruption } from './signals.ts';

interface AskOptions {
  /** What is typed does not appear: keys. */
  readonly hidden?: boolean;
  readonly signal?: AbortSignal;
}

/**
 * Asks a person on the terminal and gives back the line without its end.
 * @throws Failure of kind `usage` when the input ends instead; Interruption on Ctrl-C
 */
export type Ask = (question: string, options?: AskOptions) => Promise<string>;

/** Takes everything and shows nothing. */
function mutedOutput(): Writable {
  return new Writable({ write: (_chunk, _encoding, done) => done() });
}

/** Asks on `output` (standard error, so that standard output stays clean) and reads from `input`. */
export function createAsk(input: () => NodeJS.ReadStream, output: () => NodeJS.WriteStream): Ask {
  return (question, { hidden = false, signal } = {}) =>
    new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const screen = output();
      const lines = createInterface({
        input: input(),
        output: hidden ? mutedOutput() : screen,
        terminal: true,
        historySize: 0,
      });
      const settle = (finish: () => void) => {
        signal?.removeEventListener('abort', abort);
        lines.off('close', ended).close();
        if (hidden) screen.write('\n');
        finish();
      };
      const abort = () => settle(() => reject(signal?.reason as Error));
      const ended = () =>
        settle(() => reject(new Failure('usage', 'the input ended before an answer was given')));
      signal?.addEventListener('abort', abort, { once: true });
      lines.on('close', ended);
      lines.on('SIGINT', () => settle(() => reject(new Interruption('SIGINT'))));
      if (hidden) screen.write(question);
      lines.question(hidden ? '' : question, (line) => settle(() => resolve(line)));
    });
}
