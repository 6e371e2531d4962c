import type { ChatEvent } from '../client/events.ts';
import type { Clock } from '../clock.ts';
import type { AnswerRecorder } from '../conversation/journal/record-answer.ts';
import { Failure } from '../failure.ts';
import { definedFields } from '../json.ts';
import { type AnswerOutcome, createAnswerMeter } from '../output/answer-meter.ts';
import { endingFailure } from '../output/ending-failure.ts';
import { count } from '../output/figures.ts';

/** One prompt for one model. */
export interface Question {
  /** What stops the answer; `send` passes it to the client. */
  readonly signal: AbortSignal;
  /** Puts redacted secrets back; undefined if the prompt was not checked for secrets. */
  readonly guard?:
    | { restore(events: AsyncIterable<ChatEvent>): AsyncIterable<ChatEvent> }
    | undefined;
  /** Sends the prompt. What it throws is the failure of the answer. */
  readonly send: () => AsyncIterable<ChatEvent> | Promise<AsyncIterable<ChatEvent>>;
  readonly clock: Clock;
  /** Gets the events as the service sent them. The caller ends it. */
  readonly recorder?: AnswerRecorder | undefined;
}

/** Shows an answer while it arrives. */
export interface Sink {
  /** The next event is read after the promise. */
  event(event: ChatEvent): Promise<void> | undefined;
}

/** A whole answer, or what was received before it failed or was stopped. */
export interface Answer extends AnswerOutcome {
  /** The content as the service sent it: with placeholders for secrets. */
  readonly received: string;
  /** What was thrown, which {@link AnswerOutcome.failure} describes; undefined for a complete answer. */
  readonly error: unknown;
  /** The signal ended it. */
  readonly isStopped: boolean;
}

/**
 * Asks a question: records what arrives, puts secrets back, measures it and shows it. Never throws: an answer that
 * failed or was stopped is an answer, too.
 */
export async function ask(question: Question, sink?: Sink): Promise<Answer> {
  const { clock, signal, guard, recorder } = question;
  const meter = createAnswerMeter(clock);
  let received = '';
  let content = '';
  let error: unknown;
  let failure: Failure | undefined;
  async function* recorded(): AsyncGenerator<ChatEvent, void> {
    for await (const event of await question.send()) {
      recorder?.event(event);
      if (event.type === 'text-received') received += event.text;
      yield event;
    }
  }
  try {
    for await (const event of guard?.restore(recorded()) ?? recorded()) {
      meter.event(event);
      if (event.type === 'text-received') content += event.text;
      await sink?.event(event);
    }
  } catch (thrown) {
    error = thrown;
    failure = endingFailure(thrown, signal);
  }
  return {
    content,
    received,
    metadata: meter.metadata(failure),
    failure,
    error,
    isStopped: error !== undefined && signal.aborted,
  };
}

/** Makes one failure of those of several prompts, with the hint of the first one if there is no other. */
export function failureOfSeveral(
  failures: readonly Failure[],
  total: number,
  noun: string,
  hint?: string,
): Failure | undefined {
  const [first] = failures;
  if (first === undefined) return undefined;
  const isSame = failures.every(({ kind }) => kind === first.kind);
  const text = `${count(failures.length)} of ${count(total)} ${noun} failed; the first: ${first.message}`;
  return new Failure(isSame ? first.kind : 'unexpected', text, {
    ...definedFields({ remedy: first.remedy, cause: first }),
    hint: hint ?? first.markedHint,
  });
}
