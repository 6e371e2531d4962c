import type { ChatEvent } from '../client/events.ts';
import { escapeJson } from '../terminal/safety/sanitizer.ts';
import type { AnswerMetadata, AnswerOutcome } from './answer-meter.ts';
import { failureFields } from './ending-failure.ts';
import type { Secrets } from '../secrets/secrets.ts';

/** JSON names are snake case, as the service's are. Times are whole milliseconds. */
export function timingFields(timing: AnswerMetadata['timing']) {
  if (timing === undefined) return undefined;
  return {
    first_text_ms: timing.firstText === undefined ? undefined : Math.round(timing.firstText),
    total_ms: Math.round(timing.total),
  };
}

export const jsonLine = (value: unknown): string => `${escapeJson(JSON.stringify(value))}\n`;

/** Only if the service has probably cut the prompt. */
function truncationFields({ estimatedPromptTokens: estimate }: { estimatedPromptTokens?: number }) {
  return estimate === undefined
    ? undefined
    : { truncated_suspected: true, estimated_prompt_tokens: estimate };
}

/** `profile` and `fallbackFrom` are present only with fallbacks, `refusal` only if the service sent one, `incomplete` only if the end of the answer is missing. */
export function fieldsAfterId(metadata: AnswerMetadata, content: string, requestedModel: string) {
  return {
    model: metadata.model ?? requestedModel,
    profile: metadata.profile,
    fallbackFrom: metadata.fallbackFrom,
    content,
    refusal: metadata.refusal,
    finish_reason: metadata.finishReason ?? null,
    usage: metadata.usage ?? null,
    ...truncationFields(metadata),
    attempts: metadata.attempts,
    timing: timingFields(metadata.timing),
    incomplete: metadata.complete ? undefined : true,
  };
}

/**
 * Makes the JSON document of an answer, with further fields and what its check adds; `error` if it is incomplete.
 * @param asked the model that the document names first, if there are several
 */
export function answerLine(
  { content, metadata, failure, checked }: AnswerOutcome,
  requestedModel: string,
  context: { readonly secrets: Secrets },
  moreFields?: object,
  asked?: string,
): string {
  const answered = fieldsAfterId(metadata, content, requestedModel);
  const known = { asked, id: metadata.id ?? null, ...answered, ...moreFields };
  const line = jsonLine({ ...known, ...checked?.fields, ...failureFields(failure, context) });
  return checked?.withValue(line) ?? line;
}

/** The `--jsonl` records of an event: one for each delta of a `text-received`, otherwise one. */
export function eventRecords(event: ChatEvent): readonly object[] {
  const { type } = event;
  switch (type) {
    case 'text-received':
      return event.deltas.map((text) => ({ type, text }));
    case 'retry-scheduled': {
      const { retry, retries, delay, cause } = event;
      const { kind, status, message } = cause;
      return [
        { type, retry, retries, delay_ms: Math.round(delay), cause: { kind, status, message } },
      ];
    }
    case 'answer-finished': {
      const { id, model, finishReason, usage, attempts, timing } = event;
      const ending = { finish_reason: finishReason ?? null, usage: usage ?? null };
      const measured = { attempts, timing: timingFields(timing) };
      return [{ type, id, model, ...ending, ...truncationFields(event), ...measured }];
    }
    case 'answer-started':
      return [{ type, attempt: event.attempt, request_id: event.requestId }];
    case 'reasoning-received':
      return event.text === '' ? [] : [{ type, text: event.text }];
    case 'answer-named':
    case 'refusal-received':
      return [event];
  }
}
