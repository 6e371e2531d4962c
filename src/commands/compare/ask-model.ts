import type { Message } from '../../client/contract.ts';
import type { ChatEvent } from '../../client/events.ts';
import type { ComparedAnswer, ComparisonView } from '../../output/comparison/comparison-view.ts';
import type { SecretGuard } from '../prompt/guard/secret-guard.ts';
import { planRequest } from '../prompt/chat-request.ts';
import type { Service } from '../service/service.ts';
import type { Comparison } from './comparison.ts';
import type { ComparisonJournal } from './journal.ts';
import type { ComparedModel } from './models.ts';
import { showAnswer } from './view.ts';

/** Plans the request here, so that a request that cannot be made fails for this model only. */
async function* chatWith(
  { options, presentation }: Comparison,
  { label, settings }: ComparedModel,
  messages: readonly Message[],
  service: Service | undefined,
  signal: AbortSignal,
): AsyncGenerator<ChatEvent, void> {
  const { request, warning } = planRequest(settings, messages, options.stream);
  if (warning !== undefined) presentation.notices.warning(`${label}: ${warning}`);
  if (service !== undefined) yield* service.client.chat(request, { signal });
}

/** What all models of a comparison share. */
export interface Asking {
  readonly comparison: Comparison;
  readonly view: ComparisonView;
  readonly journal: ComparisonJournal;
  readonly signal: AbortSignal;
}

/**
 * Sends the prompt to one model, and again if its answer is checked and does not conform.
 * @throws errors that are not a Failure
 */
export async function askModel(
  { comparison, view, journal, signal }: Asking,
  model: ComparedModel,
  index: number,
  service: Service | undefined,
): Promise<ComparedAnswer> {
  const { context, guard, check, presentation, format } = comparison;
  const { label, settings } = model;
  const clock = service?.clock ?? context.clock;
  const shown = { index, label, settings, view, clock, signal };
  const chat = (messages: readonly Message[]) =>
    chatWith(comparison, model, messages, service, signal);
  const restore: SecretGuard['restore'] = (events) => guard?.restore(events) ?? events;
  const messages = journal.messages(settings);
  if (check === undefined) {
    return showAnswer(restore(journal.record(index, chat(messages))), shown);
  }
  const { showCheckedAnswer } = await import('./checked-answer.ts');
  return showCheckedAnswer({
    ...shown,
    check,
    messages,
    send: (next, correction) =>
      correction === undefined
        ? journal.record(index, chat(next))
        : journal.recordCorrection(index, correction, chat(next)),
    restore,
    notices: presentation.notices,
    showsEvents: format === 'jsonl',
  });
}
