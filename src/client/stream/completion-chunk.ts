import { definedFields, filledText, isJsonObject, type JsonObject } from '../../json.ts';
import type { Usage } from '../contract.ts';

/** Reads a `content`: a string, null, or a list of parts, of which only those with a `text` are read. */
function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  const parts: readonly unknown[] = Array.isArray(content) ? content : [];
  return parts.map((part) => filledText(isJsonObject(part) ? part['text'] : part) ?? '').join('');
}

const readNumber = (value: unknown) =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined;

/**
 * Reads the tokens of the prompt that came from a cache: OpenAI's `prompt_tokens_details.cached_tokens`, or DeepSeek's
 * `prompt_cache_hit_tokens` and `prompt_cache_miss_tokens`. The contract does not have them.
 */
function cachedTokens(usage: JsonObject, prompt: number | undefined): number | undefined {
  const details = usage['prompt_tokens_details'];
  const missed = readNumber(usage['prompt_cache_miss_tokens']);
  const cached =
    (isJsonObject(details) ? readNumber(details['cached_tokens']) : undefined) ??
    readNumber(usage['prompt_cache_hit_tokens']) ??
    (missed === undefined || prompt === undefined ? undefined : prompt - missed);
  return cached === undefined ? undefined : Math.min(Math.max(cached, 0), prompt ?? cached);
}

/** Reads the counts that are numbers; undefined where there are none. */
function readUsage(value: unknown): Usage | undefined {
  if (!isJsonObject(value)) return undefined;
  const prompt = readNumber(value['prompt_tokens']);
  const usage = definedFields({
    prompt_tokens: prompt,
    cached_tokens: cachedTokens(value, prompt),
    completion_tokens: readNumber(value['completion_tokens']),
    total_tokens: readNumber(value['total_tokens']),
  });
  return Object.keys(usage).length === 0 ? undefined : usage;
}

/** Finds the choice with index 0 or without an index; the others are alternatives that natter does not request. */
export function answerChoice(choices: unknown): JsonObject | undefined {
  if (!Array.isArray(choices)) return undefined;
  return choices.filter(isJsonObject).find(({ index }) => index === 0 || index == null);
}

/**
 * Reads a chunk of a stream (`choices[].delta`) or a whole completion (`choices[].message`). Every field may be
 * missing, null or of a wrong type; usage and `finish_reason` may be on the chunk or on the choice, and usage of Groq is in
 * `x_groq`. Texts that are missing are empty.
 */
export function readChunk({ id, model, choices, usage, finish_reason, x_groq }: JsonObject) {
  const choice = answerChoice(choices);
  const source = choice?.['delta'] ?? choice?.['message'];
  const turn: JsonObject = isJsonObject(source) ? source : {};
  const { content, reasoning, reasoning_content, refusal, tool_calls } = turn;
  return {
    text: contentText(content),
    reasoning: filledText(reasoning_content) ?? filledText(reasoning) ?? '',
    refusal: filledText(refusal) ?? '',
    calledTools: (Array.isArray(tool_calls) && tool_calls.length > 0) || undefined,
    id: filledText(id),
    model: filledText(model),
    finishReason: filledText(choice?.['finish_reason']) ?? filledText(finish_reason),
    usage:
      readUsage(usage) ??
      readUsage(choice?.['usage']) ??
      readUsage(isJsonObject(x_groq) ? x_groq['usage'] : undefined),
  };
}
