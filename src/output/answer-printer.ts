import type { ChatEvent } from '../client/events.ts';
import type { Sanitizer } from '../terminal/sanitizer.ts';
import type { OutputStream } from '../terminal/streams.ts';
import { recordEvent, emptyAnswer, type AnswerRecord } from './answer-record.ts';
import { answerDocument, eventLines } from './json-answer.ts';

/** Prints one answer to standard output as its events come. */
export interface AnswerPrinter {
  /** A promise is returned while the reader is slow: await it before the next event. */
  event(event: ChatEvent): Promise<void> | undefined;
  /** The answer is over, complete or cut: prints what was held, closes the last line of a terminal. */
  end(): Promise<void>;
}

/** A transform that may hold text back until it is decided how it is shown. */
export interface TextTransform {
  write(text: string): string | Promise<string>;
  end(): string | Promise<string>;
}

/** Text as it is. */
export const unchanged: TextTransform = { write: (text) => text, end: () => '' };

/** The service's text, byte for byte. */
export function exactPrinter(stdout: OutputStream): AnswerPrinter {
  return {
    event: (event) => (event.type === 'text-received' ? stdout.write(event.text) : undefined),
    end: async () => undefined,
  };
}

/** Text for a terminal: sanitized, then styled by `transform`; the answer ends on a line of its own. */
export function terminalPrinter(
  stdout: OutputStream,
  sanitizer: Sanitizer,
  transform: TextTransform,
): AnswerPrinter {
  let last = '\n';
  const print = async (text: string | Promise<string>) => {
    const shown = await text;
    if (shown === '') return;
    last = shown.at(-1) ?? last;
    await stdout.write(shown);
  };
  return {
    event(event) {
      if (event.type !== 'text-received') return undefined;
      return print(transform.write(sanitizer.write(event.text)));
    },
    async end() {
      const rest = sanitizer.end();
      if (rest !== '') await print(transform.write(rest));
      await print(transform.end());
      if (last !== '\n') await stdout.write('\n');
    },
  };
}

/** One document when the answer is over; the only printer that keeps the whole text in memory. */
export function jsonPrinter(stdout: OutputStream, askedModel: string): AnswerPrinter {
  const texts: string[] = [];
  let record: AnswerRecord = emptyAnswer;
  return {
    event(event) {
      if (event.type === 'text-received') texts.push(event.text);
      record = recordEvent(record, event);
      return undefined;
    },
    async end() {
      // A prompt that failed before any text has nothing to print: standard output stays empty.
      if (!record.complete && texts.length === 0) return;
      await stdout.write(answerDocument(record, texts.join(''), askedModel));
    },
  };
}

/** One line an event, when it happens. */
export function jsonLinesPrinter(stdout: OutputStream): AnswerPrinter {
  return { event: (event) => stdout.write(eventLines(event)), end: async () => undefined };
}
