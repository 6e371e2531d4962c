import type { ChatEvent } from '../client/events.ts';
import { failureFields } from './failure-report.ts';
import type { Failure } from '../failure.ts';
import { escapeJson } from '../terminal/escape-json.ts';
import type { AnswerRecord } from './answer-record.ts';

/** Names of this program's JSON are snake case, as the service's own. Times are whole milliseconds. */
function timingFields(timing: AnswerRecord['timing']) {
  if (timing === undefined) return undefined;
  return {
    first_text_ms: timing.firstText === undefined ? undefined : Math.round(timing.firstText),
    total_ms: Math.round(timing.total),
  };
}

export function jsonLine(value: unknown): string {
  return `${escapeJson(JSON.stringify(value))}\n`;
}

/** The fields of an answer in a `--json` document; `refusal` and `incomplete` are there when the answer was refused or cut. */
export function answerFields(record: AnswerRecord, content: string, askedModel: string) {
  return {
    id: record.id ?? null,
    model: record.model ?? askedModel,
    content,
    refusal: record.refusal,
    finish_reason: record.finishReason ?? null,
    usage: record.usage ?? null,
    attempts: record.attempts,
    timing: timingFields(record.timing),
    incomplete: record.complete ? undefined : true,
  };
}

/**
 * The `--json` document: `{id, model, content, finish_reason, usage, attempts, timing}`, `refusal` when the model
 * refused, and `incomplete: true` when the answer was cut. `model` is the service's, else the one asked for.
 */
export function answerDocument(record: AnswerRecord, content: string, askedModel: string): string {
  return jsonLine(answerFields(record, content, askedModel));
}

/** What `--jsonl` tells of one event: a record for each delta of a `text-received`, one for any other event. */
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
      return [{ type, id, model, ...ending, attempts, timing: timingFields(timing) }];
    }
    case 'answer-named':
      return [{ type, id: event.id, model: event.model }];
    case 'answer-started':
      return [{ type, attempt: event.attempt, request_id: event.requestId }];
    case 'reasoning-received':
    case 'refusal-received':
      return [{ type, text: event.text }];
  }
}

/** The `--jsonl` lines of one event. */
export function eventLines(event: ChatEvent): string {
  return eventRecords(event).map(jsonLine).join('');
}

/** The last `--jsonl` line of a prompt that failed, so that the stream tells how it ended. */
export function failureLine(failure: Failure, clean: (text: string) => string): string {
  return jsonLine({ type: 'answer-failed', ...failureFields(failure, clean) });
}
