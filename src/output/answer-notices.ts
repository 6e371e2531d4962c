import type { AnswerRecord } from './answer-record.ts';

/** What to say of how an answer ended; undefined for a text that ended with `stop` or with no reason given. */
export function finishNotice(record: AnswerRecord): string | undefined {
  const { finishReason, timing } = record;
  if (finishReason === undefined || finishReason === 'stop') {
    const isEmpty = timing !== undefined && timing.firstText === undefined;
    return isEmpty ? 'the answer is empty' : undefined;
  }
  return finishReason === 'length'
    ? 'the answer stops at the token limit (finish_reason length)'
    : `the answer ended with finish_reason ${finishReason}`;
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
