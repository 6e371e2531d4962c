import type { AnswerRecord } from './answer-record.ts';

/** A notice about an unusual end; undefined for `stop` and for a missing reason. */
export function finishNotice(record: AnswerRecord): string | undefined {
  const { finishReason, timing } = record;
  if (finishReason === undefined || finishReason === 'stop') {
    const isEmpty = timing !== undefined && timing.firstText === undefined;
    return isEmpty ? 'the answer is empty' : undefined;
  }
  return finishReason === 'length'
    ? 'the answer reached the token limit (finish_reason length)'
    : `the answer ended with finish_reason ${finishReason}`;
}

export function refusalNotice(refusal: string): string {
  return `the model refused: ${refusal}`;
}

/** `1 control or hidden character`, `2 control or hidden characters`. */
export function hiddenCharacters(count: number): string {
  return `${count} control or hidden character${count === 1 ? '' : 's'}`;
}

/** Undefined if the sanitizer removed nothing. */
export function filteredNotice(removed: number): string | undefined {
  if (removed === 0) return undefined;
  return `${hiddenCharacters(removed)} of the answer not shown; --raw shows them, a pipe gets them as they are`;
}
