import { Failure } from '../failure.ts';
import type { AnswerMetadata } from './answer-meter.ts';
import { count } from './figures.ts';

type CountedPrompt = Pick<
  AnswerMetadata,
  'estimatedPromptTokens' | 'countedPromptTokens' | 'usage'
>;

const advice =
  'give the model a larger context in its server (Ollama: num_ctx, llama.cpp: -c), or send less text';

/** Both numbers; undefined unless the service has probably cut the prompt. */
function problemOf({ estimatedPromptTokens, ...known }: CountedPrompt): string | undefined {
  if (estimatedPromptTokens === undefined) return undefined;
  const counted = count(known.countedPromptTokens ?? known.usage?.prompt_tokens ?? 0);
  return `the service probably cut the prompt: it counted ${counted} tokens of ~${count(estimatedPromptTokens)}`;
}

/** Undefined for an answer to the whole prompt. */
export function truncationWarning(metadata: CountedPrompt): string | undefined {
  const problem = problemOf(metadata);
  return problem === undefined ? undefined : `${problem}; ${advice}`;
}

/** For `--strict`; undefined for an answer to the whole prompt. */
export function truncationFailure(metadata: CountedPrompt): Failure | undefined {
  const problem = problemOf(metadata);
  return problem === undefined
    ? undefined
    : new Failure('truncated_prompt', problem, { hint: advice });
}
