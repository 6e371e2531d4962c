import { openaiResult } from '../../../batch/results/openai-result.ts';
import { jsonLine } from '../../../output/json-answer.ts';
import type { ResultText } from './sink.ts';

/** Results as in the output file of an OpenAI batch. */
export function createOpenaiText(now: () => Date): ResultText {
  return {
    text: (_, line) => jsonLine(openaiResult(line, Math.floor(now().getTime() / 1000))),
  };
}
