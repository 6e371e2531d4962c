import type { OutputStream } from '../../terminal/device/streams.ts';
import { answerTokens, tokensPerSecond } from '../figures.ts';
import type { Failure } from '../../failure.ts';
import { failureFields, stoppedAnswer } from '../ending-failure.ts';
import { answerFields, eventRecords, failureRecord, jsonLine } from '../json-answer.ts';
import type { ComparedAnswer, ComparisonView } from './comparison-view.ts';

/** Makes text from servers safe to show, and masks secrets. */
type Clean = (text: string) => string;

/** Undefined for a complete answer. */
function causeOf({ failure, metadata }: ComparedAnswer): Failure | undefined {
  return failure ?? (metadata.complete ? undefined : stoppedAnswer());
}

function documentOf(answer: ComparedAnswer, clean: Clean): object {
  const { label, model, content, metadata } = answer;
  const cause = causeOf(answer);
  const { usage, timing } = metadata;
  const { tokens, isEstimate } = answerTokens({ usage, content });
  return {
    asked: label,
    ...answerFields(metadata, content, model),
    tokens_per_second: tokensPerSecond(tokens, timing) ?? null,
    tokens_estimated: isEstimate ? true : undefined,
    ...(cause === undefined ? {} : failureFields(cause, clean)),
  };
}

/**
 * One document when all answers have ended: `{answers: [{asked, …, tokens_per_second}]}`, each with the fields of
 * `natter --json`, and `error` if it is incomplete.
 */
export function createComparisonDocument(stdout: OutputStream, clean: Clean): ComparisonView {
  const answers: ComparedAnswer[] = [];
  return {
    event: () => undefined,
    ended: (index, answer) => void (answers[index] = answer),
    close: async () => {
      await stdout.write(jsonLine({ answers: answers.map((answer) => documentOf(answer, clean)) }));
    },
    removed: () => 0,
  };
}

/** The lines of `natter --jsonl` as they happen, each with the requested model in `asked`. */
export function createComparisonLines(
  stdout: OutputStream,
  labels: readonly string[],
  clean: Clean,
): ComparisonView {
  const line = (index: number, record: object) => jsonLine({ asked: labels[index], ...record });
  return {
    event: (index, event) =>
      stdout.write(
        eventRecords(event)
          .map((record) => line(index, record))
          .join(''),
      ),
    ended(index, answer) {
      const cause = causeOf(answer);
      if (cause === undefined) return undefined;
      return stdout.write(line(index, failureRecord(cause, answer.metadata, clean)));
    },
    close: async () => undefined,
    removed: () => 0,
  };
}
