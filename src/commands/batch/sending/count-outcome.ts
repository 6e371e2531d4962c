import type { Tally } from '../../../batch/tally.ts';
import type { Failure } from '../../../failure.ts';
import type { ItemOutcome } from './item-attempt.ts';

/** Whether natter has sent no request, because of a budget or of a setting that all items have in common. */
export const isUnsent = ({ kind, attempts }: Failure): boolean =>
  kind === 'budget' || (kind === 'configuration' && attempts === undefined);

/** Counts the requests of an item and their tokens: those of failed answers are billed, too. */
export function countRequests(tally: Tally, { metadata }: ItemOutcome): void {
  const { usage, attempts = 1 } = metadata;
  tally.tokens += usage?.total_tokens ?? 0;
  tally.promptTokens += usage?.prompt_tokens ?? 0;
  tally.completionTokens += usage?.completion_tokens ?? 0;
  tally.attempts += attempts;
}

export function countAnswer(tally: Tally, { metadata: { timing } }: ItemOutcome): void {
  tally.answered += 1;
  if (timing !== undefined) tally.latency.add(timing.total);
  if (timing?.firstText !== undefined) tally.firstText.add(timing.firstText);
}
