import { rephrase } from '../../client/failure/request-failure.ts';
import { hasInputPlaceholder } from '../../conversation/compose-prompt.ts';
import { type ContextFit, largerModel, type ModelWindows } from '../../conversation/context-fit.ts';
import { Failure } from '../../failure.ts';
import { isTooLong } from '../service/fallback.ts';
import type { ConversationOptions, PromptOptions } from '../prompt/prompt-options.ts';

/** A prompt of the command line. */
export interface GivenPrompt {
  readonly options: ConversationOptions &
    Pick<PromptOptions, 'system'> & { readonly jsonl?: boolean; readonly fallback?: string };
  /** Undefined for a prompt file, which `--split` does not take. */
  readonly words?: readonly string[];
}

const advice = '--split auto sends it in pieces';

function canSplit({ options, words }: GivenPrompt): boolean {
  const { jsonl, resume, branch, fallback, system } = options;
  const isOther = [jsonl, options.continue, resume, branch, fallback].some(
    (option) => option !== undefined && option !== false,
  );
  const text = words?.filter((word) => word !== '-').join(' ') ?? '';
  return text !== '' && !isOther && !hasInputPlaceholder(text) && !hasInputPlaceholder(system);
}

/** A warning about a prompt that is over the window, with the option that splits it. */
export const withSplit = (warning: string, given: GivenPrompt): string =>
  canSplit(given) ? `${warning}; ${advice}` : warning;

/** A failure with a hint if the service has refused a prompt because of its length; anything else unchanged. */
export function withSplitHint(
  error: unknown,
  given: GivenPrompt,
  fit: ContextFit,
  windows?: ModelWindows,
): unknown {
  if (!(error instanceof Failure) || error.kind !== 'invalid_request') return error;
  if ((fit.state !== 'over' && !isTooLong(error)) || !canSplit(given)) return error;
  const larger = fit.window === undefined ? undefined : largerModel(fit.window, windows);
  const model = larger === undefined ? '' : `-m ${larger} has a larger window; `;
  return rephrase(error, { hint: `${model}${advice}` });
}
