import type { AnswerRecord } from './answer-record.ts';
import { count, seconds, tokensPerSecond, tokenText } from './figures.ts';

function speed({ usage, timing }: AnswerRecord): string | undefined {
  const tokens = usage?.completion_tokens;
  const rate = tokens === undefined ? undefined : tokensPerSecond(tokens, timing);
  return rate === undefined ? undefined : `${count(rate)} tokens/s`;
}

/** The line under a finished answer: model, tokens in and out as the service counted them, time, speed. */
export function usageLine(record: AnswerRecord, askedModel: string): string {
  const { usage } = record;
  const tokens =
    usage?.prompt_tokens === undefined && usage?.completion_tokens === undefined
      ? undefined
      : `${tokenText(usage.prompt_tokens ?? 0)} in, ${count(usage.completion_tokens ?? 0)} out`;
  const time = record.timing === undefined ? undefined : seconds(record.timing.total);
  return [record.model ?? askedModel, tokens, time, speed(record)]
    .filter((part) => part !== undefined)
    .join(' · ');
}
