import type { ChatEvent } from '../client/events.ts';
import type { Clock } from '../clock.ts';
import type { Failure } from '../failure.ts';
import { emptyAnswer, recordEvent, type AnswerRecord } from './answer-record.ts';

/** Measures requests and times from the events of one prompt, so that an unfinished answer has them too. */
export interface AnswerMeter {
  event(event: ChatEvent): void;
  /** The figures so far: those of a finished answer, else the measured ones. */
  record(failure?: Failure): AnswerRecord;
}

/** Create it when the prompt is sent. */
export function createAnswerMeter(clock: Pick<Clock, 'monotonic'>): AnswerMeter {
  const start = clock.monotonic();
  const elapsed = () => clock.monotonic() - start;
  let record = emptyAnswer;
  let firstText: number | undefined;
  let attempts = 1;
  /** Time of the next request; undefined if none is scheduled. */
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
