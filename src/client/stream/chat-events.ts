import type { AnswerEnd, AnswerPart } from './answer.ts';
import type {
  AnswerFinished,
  AnswerNamed,
  AnswerStarted,
  ReasoningReceived,
  RefusalReceived,
  TextReceived,
  Timing,
} from '../events.ts';

export function answerStarted(attempt: number, requestId: string | undefined): AnswerStarted {
  return { type: 'answer-started', attempt, ...(requestId !== undefined && { requestId }) };
}

export function partReceived(
  part: Exclude<AnswerPart, AnswerEnd>,
): AnswerNamed | TextReceived | ReasoningReceived | RefusalReceived {
  if (part.type === 'name') return { ...part, type: 'answer-named' };
  if (part.type === 'text') {
    return { type: 'text-received', text: part.text, deltas: part.deltas };
  }
  return { type: `${part.type}-received`, text: part.text };
}

export function answerFinished(end: AnswerEnd, attempts: number, timing: Timing): AnswerFinished {
  const { type: _type, complete: _complete, calledTools: _called, ...details } = end;
  return { type: 'answer-finished', ...details, attempts, timing };
}
