import { createParser, type EventSourceParser } from 'eventsource-parser';
import { Failure } from '../../failure.ts';

/** Maximum characters without a complete event, and in a JSON answer: 128 Mi. */
export const sizeLimit = 128 * 1024 * 1024;

/** One event; `type` is undefined without an `event` field. */
export interface StreamEvent {
  readonly type: string | undefined;
  readonly data: string;
  /** The body ended within this event, so it may be cut. */
  readonly unterminated: boolean;
}

export interface EventStream {
  /** @throws Failure `server_error` when one event exceeds the limit; and any error of `onEvent`. */
  feed(text: string): void;
  /** Delivers a last event without a blank line after it, which the standard would drop. */
  end(): void;
}

export function tooLarge(limit: number): Failure {
  return new Failure(
    'server_error',
    `the service sent an event or body of more than ${limit} characters, so natter stopped reading`,
  );
}

const dataField = 'data: ';
const eventEnd = '\n\n';

/**
 * Parses server-sent events (WHATWG HTML, 9.2 Server-sent events) from text with LF line ends. Drops ids and retry
 * times. Takes linear time, however the input is split.
 */
class ParsedStream implements EventStream {
  readonly #onEvent: (event: StreamEvent) => void;
  readonly #limit: number;
  /** Created for the first event that is not plain: most answers have none, and are shorter than the parser is large. */
  #parser: EventSourceParser | undefined;
  /** The parser has all of the events that it got. */
  #isBetweenEvents = true;
  #waiting = 0;
  #isEnded = false;

  constructor(onEvent: (event: StreamEvent) => void, limit: number) {
    this.#onEvent = onEvent;
    this.#limit = limit;
  }

  feed(text: string): void {
    const rest = this.#isBetweenEvents ? this.#takePlain(text) : text;
    if (rest === '') return;
    this.#waiting += rest.length;
    this.#parse(rest);
    this.#isBetweenEvents = rest.endsWith(eventEnd);
    if (this.#waiting > this.#limit) throw tooLarge(this.#limit);
  }

  end(): void {
    this.#isEnded = true;
    if (!this.#isBetweenEvents) this.#parse(eventEnd);
  }

  /** Delivers the events at the start of the text that are one line of data. @returns the rest of the text */
  #takePlain(text: string): string {
    let start = 0;
    while (text.startsWith(dataField, start)) {
      const end = text.indexOf('\n', start);
      if (end === -1 || !text.startsWith(eventEnd, end)) break;
      this.#waiting = 0;
      const data = text.slice(start + dataField.length, end);
      this.#onEvent({ type: undefined, data, unterminated: false });
      start = end + eventEnd.length;
    }
    return text.slice(start);
  }

  #parse(text: string): void {
    this.#parser ??= createParser({
      onEvent: ({ event, data }) => {
        this.#waiting = 0;
        this.#onEvent({ type: event, data, unterminated: this.#isEnded });
      },
    });
    this.#parser.feed(text);
  }
}

/** @param limit maximum characters without a complete event */
export const createEventStream = (
  onEvent: (event: StreamEvent) => void,
  limit: number = sizeLimit,
): EventStream => new ParsedStream(onEvent, limit);
