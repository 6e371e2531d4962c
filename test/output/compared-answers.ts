import type { ChatEvent } from '../../src/client/events.ts';
import type { Failure } from '../../src/failure.ts';
import type { ComparedAnswer } from '../../src/output/comparison.ts';

export const text = (piece: string): ChatEvent => ({
  type: 'text-received',
  text: piece,
  deltas: [piece],
});

export const finished: ChatEvent = {
  type: 'answer-finished',
  finishReason: 'stop',
  attempts: 1,
  timing: { firstText: 10, total: 20 },
};

/** A complete answer, or one with a failure. */
export function answerOf(label: string, content: string, failure?: Failure): ComparedAnswer {
  const timing = { total: 20 };
  const metadata =
    failure === undefined
      ? { complete: true, finishReason: 'stop', timing }
      : { complete: false, timing };
  return { label, model: label, content, metadata, failure };
}
