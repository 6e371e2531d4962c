import type { Usage } from '../../../client/contract.ts';
import type { Timing } from '../../../client/events.ts';
import { isPlainText } from '../../../json.ts';
import { escapeJson } from '../../../terminal/safety/escape-json.ts';
import type { ItemOutcome } from '../sending/item-attempt.ts';

function jsonText(text: string | undefined): string {
  if (text === undefined) return 'null';
  return isPlainText(text) ? `"${text}"` : escapeJson(JSON.stringify(text));
}

function usageJson(usage: Usage | undefined): string {
  if (usage === undefined) return 'null';
  const { prompt_tokens: prompt, completion_tokens: completion, total_tokens: total } = usage;
  if (prompt === undefined || completion === undefined || total === undefined) {
    return JSON.stringify(usage);
  }
  return `{"prompt_tokens":${prompt},"completion_tokens":${completion},"total_tokens":${total}}`;
}

function timingJson({ firstText, total }: Timing): string {
  const first = firstText === undefined ? '' : `"first_text_ms":${Math.round(firstText)},`;
  return `{${first}"total_ms":${Math.round(total)}}`;
}

/**
 * The fields of a complete answer as `outcomeLine` writes them, without the braces, in half of the time
 * (docs/decisions/0026-batch-speed.md). Undefined for an outcome with any other field.
 */
export function answeredFields({
  metadata,
  content,
  requestedModel,
  failure,
  checked,
}: ItemOutcome): string | undefined {
  const { id, model = requestedModel, finishReason, usage, attempts, timing } = metadata;
  const { profile, fallbackFrom, refusal, estimatedPromptTokens } = metadata;
  if (failure !== undefined || checked !== undefined || !metadata.complete) return undefined;
  if (attempts === undefined || timing === undefined || profile !== undefined) return undefined;
  const rare = fallbackFrom ?? refusal ?? estimatedPromptTokens;
  if (rare !== undefined) return undefined;
  const requested =
    model === requestedModel ? '' : `"requested_model":${jsonText(requestedModel)},`;
  return `"completion_id":${jsonText(id)},${requested}"model":${jsonText(model)},"content":${jsonText(content)},"finish_reason":${jsonText(finishReason)},"usage":${usageJson(usage)},"attempts":${attempts},"timing":${timingJson(timing)}`;
}

/** The fields of every result, with the comma after them. @param hash the fingerprint as in results */
export function placeJson(
  index: number,
  line: number,
  id: string | undefined,
  hash: string,
): string {
  return `"index":${index},"line":${line},"id":${jsonText(id)},"prompt_hash":"${hash}",`;
}
