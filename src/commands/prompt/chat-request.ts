import type { CompletionRequest, Message } from '../../client/contract.ts';
import {
  contextFit,
  contextWarning,
  refuseImpossible,
  smallestModelFor,
  type ContextFit,
} from '../../conversation/context-fit.ts';
import { estimateMessages } from '../../conversation/token-estimate.ts';
import { withoutSources, type ResolvedSettings } from '../../settings/resolved-settings.ts';

/** A request, and how well it fits the window of its model. */
export interface PlannedRequest {
  readonly request: CompletionRequest;
  readonly fit: ContextFit;
  /** Undefined if the request fits comfortably. */
  readonly warning: string | undefined;
}

/** The messages of a new conversation; an empty system prompt is omitted. */
export function promptMessages(system: string | undefined, prompt: string): readonly Message[] {
  const turn: Message = { role: 'user', content: prompt };
  return system === undefined || system === ''
    ? [turn]
    : [{ role: 'system', content: system }, turn];
}

/**
 * The request has only the contract's fields and those added with `params`.
 * @throws Failure `invalid_request` for a prompt that no tokenizer could fit into the window
 */
export function planRequest(
  settings: ResolvedSettings,
  messages: readonly Message[],
  stream: boolean,
  modelSwitch?: '-m' | '/model',
): PlannedRequest {
  const { values, params, windows } = settings;
  const estimate = estimateMessages(messages) + (values.maxTokens ?? 0);
  const model = values.model === 'auto' ? smallestModelFor(estimate, windows) : values.model;
  const bytes = messages.reduce((sum, message) => sum + Buffer.byteLength(message.content), 0);
  refuseImpossible(model, bytes, windows);
  const fit = contextFit(model, estimate, windows);
  const request: CompletionRequest = {
    model,
    messages,
    ...(stream ? { stream } : {}),
    ...(values.maxTokens === undefined ? {} : { max_tokens: values.maxTokens }),
    ...(Object.keys(params).length === 0 ? {} : { params: withoutSources(params) }),
  };
  return { request, fit, warning: contextWarning(fit, windows, modelSwitch) };
}
