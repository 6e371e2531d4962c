import type { AnswerFinished, TextReceived } from '../../src/client/events.ts';

export const text = (...deltas: readonly string[]): TextReceived => {
  return { type: 'text-received', text: deltas.join(''), deltas };
};

export const finished: AnswerFinished = {
  type: 'answer-finished',
  finishReason: 'stop',
  attempts: 1,
  timing: { firstText: 10, total: 20 },
};
