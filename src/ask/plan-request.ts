import type { CompletionRequest, Message } from '../client/contract.ts';
import { contextFit, refuseImpossible, smallestModelFor } from '../conversation/context-fit.ts';
import { estimateMessages } from '../conversation/token-estimate.ts';
import type { ParameterChanges } from '../conversation/attributes.ts';
import { withoutSources, type ResolvedSettings } from '../settings/resolved-settings.ts';

/** A request, and how well it fits the window of its model. */
export type PlannedRequest = ReturnType<typeof planRequest>;

/** Makes the messages of a new conversation; an empty system prompt is omitted. */
export function promptMessages(system: string | undefined, prompt: string): readonly Message[] {
  const user = { role: 'user', content: prompt } as const;
  if (system === undefined || system === '') return [user];
  return [{ role: 'system', content: system }, user];
}

/**
 * Makes a request of only the contract's fields and those added with `params`, and compares it with the window of its
 * model.
 * @param modelSwitch option or slash command for the model
 * @param promptTokens tokens of the messages, if more is known than an estimate
 * @throws Failure `invalid_request` for a prompt that no tokenizer could fit into the window
 */
export function planRequest(
  { values, params, windows }: ResolvedSettings,
  messages: readonly Message[],
  stream: boolean,
  modelSwitch?: '-m' | '/model',
  promptTokens?: number,
) {
  const { maxTokens } = values;
  const estimate = estimateMessages(messages) + (maxTokens ?? 0);
  const model = values.model === 'auto' ? smallestModelFor(estimate, windows) : values.model;
  const bytes = messages.reduce((sum, message) => sum + Buffer.byteLength(message.content), 0);
  refuseImpossible(model, bytes, windows);
  const request: CompletionRequest = {
    model,
    messages,
    ...(stream && { stream }),
    ...(maxTokens !== undefined && { max_tokens: maxTokens }),
    ...(Object.keys(params).length > 0 && { params: withoutSources(params) }),
  };
  const tokens = promptTokens === undefined ? estimate : promptTokens + (maxTokens ?? 0);
  const { warning, ...fit } = contextFit(model, tokens, windows, modelSwitch);
  return { request, fit, warning };
}

/** Applies the changes of a conversation to the parameters of the settings. */
export function changedParams(
  params: ResolvedSettings['params'],
  changes: ParameterChanges | undefined,
): ResolvedSettings['params'] {
  if (changes === undefined) return params;
  const kept = Object.entries(params).filter(([name]) => !changes.removed.includes(name));
  const source = { kind: 'conversation', name: '/param' } as const;
  const set = Object.entries(changes.set).map(
    ([name, value]) => [name, { value, source }] as const,
  );
  return Object.fromEntries([...kept, ...set]);
}

/** Leaves out the changes of a conversation to parameters that an option of this run sets. */
export function resumedChanges(
  params: ResolvedSettings['params'],
  changes: ParameterChanges | undefined,
): ParameterChanges | undefined {
  if (changes === undefined) return undefined;
  const isOption = (name: string) => params[name]?.source.kind === 'flag';
  return {
    set: Object.fromEntries(Object.entries(changes.set).filter(([name]) => !isOption(name))),
    removed: changes.removed.filter((name) => !isOption(name)),
  };
}
