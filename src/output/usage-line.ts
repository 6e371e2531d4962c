import type { AnswerRecord } from './answer-record.ts';

const count = (value: number) => value.toLocaleString('en-US');

function seconds(milliseconds: number): string {
  const value = milliseconds / 1000;
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} s`;
}

function speed(record: AnswerRecord): string | undefined {
  const tokens = record.usage?.completion_tokens;
  const { firstText, total } = record.timing ?? {};
  if (tokens === undefined || firstText === undefined || total === undefined) return undefined;
  const streaming = total - firstText;
  // One read brought it all: a rate over a few milliseconds would say nothing.
  if (streaming < 50) return undefined;
  return `${count(Math.round(tokens / (streaming / 1000)))} tokens/s`;
}

/** The line under a finished answer: model, tokens in and out as the service counted them, time, speed. */
export function usageLine(record: AnswerRecord, askedModel: string): string {
  const { usage } = record;
  const tokens =
    usage?.prompt_tokens === undefined && usage?.completion_tokens === undefined
      ? undefined
      : `${count(usage.prompt_tokens ?? 0)} tokens in, ${count(usage.completion_tokens ?? 0)} out`;
  const time = record.timing === undefined ? undefined : seconds(record.timing.total);
  return [record.model ?? askedModel, tokens, time, speed(record)]
    .filter((part) => part !== undefined)
    .join(' · ');
}
