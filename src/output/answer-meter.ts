import type { ChatEvent } from '../client/events.ts';
import type { Clock } from '../clock.ts';
import type { Failure } from '../failure.ts';
import { emptyAnswer, recordEvent, type AnswerRecord } from './answer-record.ts';

/** Follows the events of one prompt, so that an answer that does not finish has its requests and times, too. */
export interface AnswerMeter {
  event(event: ChatEvent): void;
  /** What is known so far: of an answer that finished its own figures, else those measured. */
  record(failure?: Failure): AnswerRecord;
}

/** To be made when the prompt is sent. */
export function createAnswerMeter(clock: Pick<Clock, 'monotonic'>): AnswerMeter {
  const start = clock.monotonic();
  const elapsed = () => clock.monotonic() - start;
  let record = emptyAnswer;
  let firstText: number | undefined;
  let attempts = 1;
  /** When the next request is sent; undefined while none is waited for. */
  let next: number | undefined;
  return {
    event(event) {
      record = recordEvent(record, event);
      if (event.type === 'text-received') firstText ??= elapsed();
      if (event.type === 'answer-started') {
        attempts = event.attempt;
        next = undefined;
      }
      if (event.type === 'retry-scheduled') {
        attempts = event.retry;
        next = elapsed() + event.delay;
      }
    },
    record(failure) {
      if (record.complete) return record;
      const sent = next !== undefined && elapsed() >= next ? attempts + 1 : attempts;
      const timing = { ...(firstText !== undefined && { firstText }), total: elapsed() };
      return { ...record, attempts: failure?.attempts ?? sent, timing };
    },
  };
}
