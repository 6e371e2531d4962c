import type { Message } from '../../client/contract.ts';
import type { ChatEvent } from '../../client/events.ts';
import type { ComparedAnswer } from '../../output/comparison/comparison-view.ts';
import type { Notices } from '../../output/notices.ts';
import { receiveAnswer } from '../../output/receive-answer.ts';
import { describeViolations } from '../../schema/violation.ts';
import {
  askUntilConforming,
  type CheckedAnswers,
  type Correction,
  failureOf,
  lastOf,
  metadataOf,
  type UncheckedAnswer,
} from '../check/ask.ts';
import { checkFields, withValue } from '../check/check-fields.ts';
import { valueText, withTap } from '../check/checked-text.ts';
import type { AnswerCheck } from '../check/open-check.ts';
import { answerFailure, type ShowAnswerOptions } from './view.ts';

export interface CheckedAnswerOptions extends ShowAnswerOptions {
  readonly check: AnswerCheck;
  readonly messages: readonly Message[];
  /** Sends and records. @param correction undefined for the first request */
  readonly send: (
    messages: readonly Message[],
    correction: Correction | undefined,
  ) => AsyncIterable<ChatEvent>;
  /** Puts redacted secrets back. */
  readonly restore: (events: AsyncIterable<ChatEvent>) => AsyncIterable<ChatEvent>;
  readonly notices: Notices;
  /** The view shows every event of all answers, as `--jsonl` does. */
  readonly showsEvents: boolean;
}

const isOfAnswer = ({ type }: ChatEvent) => type === 'text-received' || type === 'answer-finished';

/** Receives one answer. @throws errors that are not a Failure, unless the signal is aborted */
async function receive(
  options: CheckedAnswerOptions,
  messages: readonly Message[],
  correction: Correction | undefined,
): Promise<UncheckedAnswer> {
  const { index, settings, view, clock, signal, send, restore, showsEvents } = options;
  const sent: string[] = [];
  const answer = await receiveAnswer(restore(withTap(send(messages, correction), sent)), {
    clock,
    show: (event) => (showsEvents || !isOfAnswer(event) ? view.event(index, event) : undefined),
    failureOf: (error) => answerFailure(error, signal, settings),
  });
  return { ...answer, received: sent.join('') };
}

/** What is shown as the answer: the value, else all that was received. */
function shownText(answers: CheckedAnswers): string {
  const { answer, checked } = lastOf(answers);
  return valueText(checked) ?? answer.content;
}

/** Whether the user stopped the answer. */
const wasStopped = ({ answer }: ReturnType<typeof lastOf>) =>
  answer.failure === undefined && !answer.metadata.complete;

/**
 * Asks one model until its answer conforms, and shows the value.
 * @throws errors that are not a Failure, unless the signal is aborted
 */
export async function showCheckedAnswer(options: CheckedAnswerOptions): Promise<ComparedAnswer> {
  const { check, messages, notices, label, settings, index, view, signal } = options;
  const { model } = settings.values;
  const answers = await askUntilConforming({
    check,
    messages,
    send: (...next) => receive(options, ...next),
    onMismatch(violations, retry) {
      if (signal.aborted) return false;
      const what = `${label}: the answer does not match the schema: ${describeViolations(violations)}`;
      notices.notice(`${what}; asking again (${retry} of ${check.retries})`);
      return true;
    },
  });
  const last = lastOf(answers);
  const failure = wasStopped(last) ? undefined : failureOf(check, answers);
  const wasChecked = last.checked !== undefined || answers.length > 1;
  const text = shownText(answers);
  if (!options.showsEvents && text !== '') {
    await view.event(index, { type: 'text-received', text, deltas: [text] });
  }
  const answer = {
    label,
    model,
    content: last.answer.content,
    metadata: metadataOf(answers),
    failure,
    ...(wasChecked && {
      checked: {
        fields: checkFields(answers, model),
        withValue: (line: string) => withValue(line, last.checked),
      },
    }),
  };
  await view.ended(index, answer);
  return answer;
}
