import type { Client } from '../client/client.ts';
import type { Message } from '../client/contract.ts';
import type { ChatEvent } from '../client/events.ts';
import type { Clock } from '../clock.ts';
import type { PromptRecord } from '../conversation/journal/record-answer.ts';
import { Failure } from '../failure.ts';
import type { ComparedAnswer, ComparisonView } from '../output/comparison.ts';
import type { Notices } from '../output/notices.ts';
import type { ResolvedSettings } from '../settings/resolved-settings.ts';
import { type Answer, ask, type Asking } from './ask.ts';
import {
  type AnswerCheck,
  askUntilConforming,
  checkedFields,
  failureOf,
  metadataOf,
  valueText,
} from './check.ts';
import { planRequest } from './plan-request.ts';

/** A model that gets the prompt. */
export interface ModelToCompare {
  readonly label: string;
  readonly settings: ResolvedSettings;
  readonly client: Client;
  readonly clock: Clock;
  readonly messages: readonly Message[];
  /** Undefined if nothing is saved. */
  readonly record: PromptRecord | undefined;
}

/** What the models of a comparison share. */
export interface Comparing extends Asking {
  readonly view: ComparisonView;
  /** The view shows all events of all answers, as `--jsonl` does; else a checked answer is shown at its end. */
  readonly showsEvents: boolean;
  /** Undefined if the answers are not checked. */
  readonly check: AnswerCheck | undefined;
  readonly stream: boolean;
  readonly notices: Notices;
  /** Adds hints of the command line to a failure. */
  readonly explain: (failure: Failure, settings: ResolvedSettings) => Failure;
}

const isOfAnswer = ({ type }: ChatEvent) => type === 'text-received' || type === 'answer-finished';

/** Asks one model once. An answer that the user stopped has no failure. */
async function askOnce(
  { view, showsEvents, check, stream, notices, explain, guard, signal }: Comparing,
  { label, settings, client, clock, record }: ModelToCompare,
  index: number,
  messages: readonly Message[],
): Promise<Answer> {
  const recorder = record?.begin({ model: settings.values.model });
  // Here, so that a request that cannot be made fails for this model only.
  const send = () => {
    const { request, warning } = planRequest(settings, messages, stream);
    if (warning !== undefined) notices.warning(`${label}: ${warning}`);
    return client.chat(request, { signal });
  };
  const isShown = check === undefined || showsEvents;
  const event = (next: ChatEvent) =>
    isShown || !isOfAnswer(next) ? view.event(index, next) : undefined;
  const answer = await ask({ send, clock, signal, recorder, guard }, { event });
  const { error, failure, isStopped } = answer;
  recorder?.end(error instanceof Failure ? error.kind : undefined);
  if (failure === undefined) return answer;
  if (isStopped && !(error instanceof Failure)) return { ...answer, failure: undefined };
  return { ...answer, failure: explain(failure, settings) };
}

/** Asks one model until its answer conforms, and shows the value, else all that was received. */
async function askChecked(
  comparing: Comparing,
  check: AnswerCheck,
  model: ModelToCompare,
  index: number,
) {
  const { view, notices, signal, showsEvents } = comparing;
  const answers = await askUntilConforming({
    check,
    messages: model.messages,
    send(messages, correction) {
      if (correction !== undefined) model.record?.addPrompt(correction);
      return askOnce(comparing, model, index, messages);
    },
    onMismatch(text, retry) {
      if (signal.aborted) return false;
      const what = `${model.label}: the answer does not match the schema: ${text}`;
      notices.notice(`${what}; asking again (${retry} of ${check.retries})`);
      return true;
    },
  });
  const { answer, checked } = answers.last;
  const wasStopped = answer.failure === undefined && !answer.metadata.complete;
  const text = valueText(answers) ?? answer.content;
  if (!showsEvents && text !== '') {
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

/** Asks all models at the same time, and shows their answers. A failed or stopped answer is a result, too. */
export async function compareModels(
  comparing: Comparing,
  models: readonly ModelToCompare[],
): Promise<readonly ComparedAnswer[]> {
  const { check, view } = comparing;
  const pending = models.map(async (model, index): Promise<ComparedAnswer> => {
    const { label, settings, messages } = model;
    const { content, metadata, failure, ...checked } =
      check === undefined
        ? await askOnce(comparing, model, index, messages)
        : await askChecked(comparing, check, model, index);
    const names = { label, model: settings.values.model };
    const answer = { ...names, content, metadata, failure, ...('checked' in checked && checked) };
    await view.ended(index, answer);
    return answer;
  });
  // After an error the caller closes the view and the journal: no answer may still write to them.
  await Promise.allSettled(pending);
  return Promise.all(pending);
}
