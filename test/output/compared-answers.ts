import type { Failure } from '../../src/failure.ts';
import type { ComparedAnswer } from '../../src/output/comparison.ts';

/** A complete answer, or one with a failure. */
export function answerOf(label: string, content: string, failure?: Failure): ComparedAnswer {
  const timing = { total: 20 };
  const metadata =
    failure === undefined
      ? { complete: true, finishReason: 'stop', timing }
      : { complete: false, timing };
  return { label, model: label, content, metadata, failure };
}
