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

/** One line of JSON. */
function documentOf(answer: ComparedAnswer, clean: Clean): string {
  const { label, model, content, metadata, checked } = answer;
  const cause = causeOf(answer);
  const { usage, timing } = metadata;
  const { tokens, isEstimate } = answerTokens({ usage, content });
  const line = jsonLine({
    asked: label,
    ...answerFields(metadata, content, model),
    tokens_per_second: tokensPerSecond(tokens, timing) ?? null,
    tokens_estimated: isEstimate ? true : undefined,
    ...checked?.fields,
    ...(cause === undefined ? {} : failureFields(cause, clean)),
  });
  return checked?.withValue(line) ?? line;
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
      const documents = answers.map((answer) => documentOf(answer, clean).trimEnd());
      await stdout.write(`{"answers":[${documents.join(',')}]}\n`);
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
      const { checked, metadata } = answer;
      const record = checked && line(index, { type: 'answer-checked', ...checked.fields });
      const cause = causeOf(answer);
      const failed = cause && line(index, failureRecord(cause, metadata, clean));
      const text = `${record === undefined ? '' : checked?.withValue(record)}${failed ?? ''}`;
      return text === '' ? undefined : stdout.write(text);
    },
    close: async () => undefined,
    removed: () => 0,
  };
}
