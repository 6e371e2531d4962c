import type { AnswerRecord } from './answer-record.ts';

const finishReasons: Readonly<Record<string, string>> = {
  length: 'the answer stops at the token limit (finish_reason length)',
  content_filter: 'the service filtered the answer (finish_reason content_filter)',
  tool_calls: 'the model asked for a tool, and natter has none (finish_reason tool_calls)',
};

/**
 * What to say of how an answer ended; undefined for a text, or a refusal, that ended with `stop` or with no reason
 * given.
 */
export function finishNotice(record: AnswerRecord): string | undefined {
  const { finishReason, refusal, timing } = record;
  if (finishReason === undefined || finishReason === 'stop') {
    const isEmpty = timing !== undefined && timing.firstText === undefined;
    return isEmpty && refusal === undefined ? 'the answer is empty' : undefined;
  }
  return finishReasons[finishReason] ?? `the answer ended with finish_reason ${finishReason}`;
}

/** What to say of a refusal that came apart from the text. */
export function refusalNotice(refusal: string): string {
  return `the model refused: ${refusal}`;
}

/** `1 control or hidden character`: so many of them. */
export function hiddenCharacters(count: number): string {
  return `${count} control or hidden character${count === 1 ? '' : 's'}`;
}

/** What to say when the sanitizer removed something. */
export function filteredNotice(removed: number): string | undefined {
  if (removed === 0) return undefined;
  return `${hiddenCharacters(removed)} of the answer not shown; --raw shows them, a pipe gets them as they are`;
}
