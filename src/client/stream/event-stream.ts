import { createParser } from 'eventsource-parser';
import { Failure } from '../../failure.ts';

/** Most characters without one complete event, and most in a JSON answer: 128 Mi. */
export const sizeLimit = 128 * 1024 * 1024;

/** One event; `type` is absent where the stream names none. */
export interface StreamEvent {
  readonly type: string | undefined;
  readonly data: string;
  /** The body ended inside this event: it may be cut. */
  readonly unterminated: boolean;
}

export interface EventStream {
  /** @throws Failure `server_error` when one event grows over the limit; and whatever `onEvent` throws. */
  feed(text: string): void;
  /** Delivers a last event that no blank line ends, which the standard would drop. */
  end(): void;
}

export function tooLarge(limit: number): Failure {
  return new Failure(
    'server_error',
    `the service sent more than ${limit} characters without an end, so natter stopped reading`,
  );
}

/**
 * Parses server-sent events (WHATWG HTML, 9.2 Server-sent events) from text with LF line ends only: as it reads
 * ids and retry times are meaningless and dropped. Time is linear in the input however it is split.
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
