import { type Answer, ask } from '../../ask/ask.ts';
import {
  type AnswerCheck,
  askUntilConforming,
  checkedFields,
  failureOf,
  metadataOf,
  valueText,
} from '../../ask/check.ts';
import { planRequest } from '../../ask/plan-request.ts';
import type { Service } from '../../ask/service.ts';
import { withRequestHint } from '../../cli/report.ts';
import type { Message } from '../../client/contract.ts';
import type { ChatEvent } from '../../client/events.ts';
import type { PromptRecord } from '../../conversation/journal/record-answer.ts';
import { Failure } from '../../failure.ts';
import type { ComparedAnswer, ComparisonView } from '../../output/comparison.ts';
import type { Comparison } from './models.ts';

/** One model of a comparison, with what answers, shows and records it. */
interface AskedModel {
  readonly comparison: Comparison;
  readonly model: Comparison['models'][number];
  readonly index: number;
  readonly service: Service;
  readonly view: ComparisonView;
  /** Undefined if nothing is saved. */
  readonly record: PromptRecord | undefined;
}

/** With `--jsonl`, the view shows all events of all answers; else a checked answer is shown at its end. */
const showsEvents = ({ check, format }: Comparison) => check === undefined || format === 'jsonl';

const isOfAnswer = ({ type }: ChatEvent) => type === 'text-received' || type === 'answer-finished';

/** Asks once. An answer that the user stopped has no failure. */
async function askOnce(
  { comparison, model, index, service, view, record }: AskedModel,
  messages: readonly Message[],
): Promise<Answer> {
  const { context, options, presentation, guard } = comparison;
  const { label, settings } = model;
  const { signal } = context;
  const recorder = record?.begin({ model: settings.values.model });
  // Here, so that a request that cannot be made fails for this model only.
  const send = () => {
    const { request, warning } = planRequest(settings, messages, options.stream);
    if (warning !== undefined) presentation.notices.warning(`${label}: ${warning}`);
    return service.client.chat(request, { signal });
  };
  const event = (next: ChatEvent) =>
    showsEvents(comparison) || !isOfAnswer(next) ? view.event(index, next) : undefined;
  const answer = await ask({ send, clock: service.clock, signal, recorder, guard }, { event });
  const { error, failure, isStopped } = answer;
  recorder?.end(error instanceof Failure ? error.kind : undefined);
  if (failure === undefined) return answer;
  if (isStopped && !(error instanceof Failure)) return { ...answer, failure: undefined };
  return { ...answer, failure: withRequestHint(failure, settings) };
}

/** Asks until an answer conforms, and shows the value, else all that was received. */
async function askChecked(
  asked: AskedModel,
  check: AnswerCheck,
  prompt: readonly Message[],
): Promise<Omit<ComparedAnswer, 'label' | 'model'>> {
  const { comparison, model, index, view, record } = asked;
  const answers = await askUntilConforming({
    check,
    messages: prompt,
    send(messages, correction) {
      if (correction !== undefined) record?.addPrompt(correction);
      return askOnce(asked, messages);
    },
    onMismatch(text, retry) {
      if (comparison.context.signal.aborted) return false;
      const what = `${model.label}: the answer does not match the schema: ${text}`;
      const { notices } = comparison.presentation;
      notices.notice(`${what}; asking again (${retry} of ${check.retries})`);
      return true;
    },
  });
  const { answer, checked } = answers.last;
  const wasStopped = answer.failure === undefined && !answer.metadata.complete;
  const text = valueText(answers) ?? answer.content;
  if (!showsEvents(comparison) && text !== '') {
    await view.event(index, { type: 'text-received', text, deltas: [text] });
  }
  const wasChecked = checked !== undefined || answers.earlier.length > 0;
  return {
    content: answer.content,
    metadata: metadataOf(answers),
    failure: wasStopped ? undefined : failureOf(check, answers),
    ...(wasChecked && { checked: checkedFields(answers, model.settings.values.model) }),
  };
}

/** Asks one model of a comparison, and shows its answer. A failed or stopped answer is a result, too. */
export async function askModel(
  asked: AskedModel,
  messages: readonly Message[],
): Promise<ComparedAnswer> {
  const { comparison, index, model, view } = asked;
  const { check } = comparison;
  const given =
    check === undefined ? await askOnce(asked, messages) : await askChecked(asked, check, messages);
  const answer = { ...given, label: model.label, model: model.settings.values.model };
  await view.ended(index, answer);
  return answer;
}
