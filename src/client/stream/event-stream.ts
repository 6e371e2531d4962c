import { createParser } from 'eventsource-parser';
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

/**
 * Parses server-sent events (WHATWG HTML, 9.2 Server-sent events) from text with LF line ends. Drops ids and retry
 * times. Takes linear time, however the input is split.
 */
export function createEventStream(
  onEvent: (event: StreamEvent) => void,
  limit: number = sizeLimit,
): EventStream {
  let waiting = 0;
  let unterminated = false;
  const parser = createParser({
    onEvent({ event, data }) {
      waiting = 0;
      onEvent({ type: event, data, unterminated });
    },
  });

  return {
    feed(text) {
      waiting += text.length;
      parser.feed(text);
      if (waiting > limit) throw tooLarge(limit);
    },
    end() {
      unterminated = true;
      parser.feed('\n\n');
    },
  };
}
