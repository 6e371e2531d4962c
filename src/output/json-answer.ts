import type { ChatEvent } from '../client/events.ts';
import { reportFailure } from './failure-report.ts';
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

/**
 * The `--json` document: `{id, model, content, finish_reason, usage, attempts, timing}`, and
 * `incomplete: true` when the answer was cut. `model` is the service's, else the one asked for.
 */
export function answerDocument(record: AnswerRecord, content: string, askedModel: string): string {
  return jsonLine({
    id: record.id ?? null,
    model: record.model ?? askedModel,
    content,
    finish_reason: record.finishReason ?? null,
    usage: record.usage ?? null,
    attempts: record.attempts,
    timing: timingFields(record.timing),
    incomplete: record.complete ? undefined : true,
  });
}

/** The `--jsonl` lines of one event: one for each delta of a `text-received`, one for any other event. */
export function eventLines(event: ChatEvent): string {
  switch (event.type) {
    case 'text-received':
      return event.deltas.map((text) => jsonLine({ type: event.type, text })).join('');
    case 'retry-scheduled':
      return jsonLine({
        type: event.type,
        retry: event.retry,
        retries: event.retries,
        delay_ms: Math.round(event.delay),
        cause: { kind: event.cause.kind, status: event.cause.status, message: event.cause.message },
      });
    case 'answer-finished':
      return jsonLine({
        type: event.type,
        id: event.id,
        model: event.model,
        finish_reason: event.finishReason ?? null,
        usage: event.usage ?? null,
        attempts: event.attempts,
        timing: timingFields(event.timing),
      });
    case 'answer-named':
      return jsonLine({ type: event.type, id: event.id, model: event.model });
    case 'answer-started':
      return jsonLine({ type: event.type, attempt: event.attempt, request_id: event.requestId });
    case 'reasoning-received':
    case 'refusal-received':
      return jsonLine({ type: event.type, text: event.text });
  }
}

/** The last `--jsonl` line of a prompt that failed, so that the stream tells how it ended. */
export function failureLine(failure: Failure, clean: (text: string) => string): string {
  const report = JSON.parse(reportFailure(failure, { json: true, debug: false, clean })) as object;
  return jsonLine({ type: 'answer-failed', ...report });
}
