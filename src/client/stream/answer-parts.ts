import { definedFields, filledText, isJsonObject, type JsonObject } from '../../json.ts';
import type { Usage } from '../contract.ts';
import type { AnswerNamed, ReasoningReceived, RefusalReceived, TextReceived } from '../events.ts';
import type { Mask } from '../failure/error-body.ts';

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

/** A part of an answer, in the order of arrival. Its texts are well-formed and not empty. */
export type AnswerPart =
  | AnswerNamed
  | TextReceived
  | ReasoningReceived
  | RefusalReceived
  | StreamEnd;

/** `complete`: ended with `[DONE]` or a `finish_reason`, or the body was one whole JSON completion. */
export interface StreamEnd {
  readonly type: 'end';
  readonly complete: boolean;
  readonly calledTools?: boolean;
  readonly id?: string;
  readonly model?: string;
  readonly finishReason?: string;
  readonly usage?: Usage;
}

const channels = ['reasoning', 'text', 'refusal'] as const;
type Channel = (typeof channels)[number];

/** U+FFFD, for a surrogate without its partner. */
const replacement = '\uFFFD';

/** Makes the parts of an answer from its chunks: texts in the order of arrival, and the metadata merged. */
export class AnswerParts {
  /** Masks the texts of errors. */
  readonly mask: Mask;
  /** Called for each chunk with content: not for usage, ids and empty chunks. */
  readonly onContent: () => void;
  /** Set for a complete answer, with or without a `finish_reason`: no more needs to be read. */
  isFinished = false;
  /** Deltas that follow one another in one channel. */
  #texts: { readonly channel: Channel; readonly deltas: string[] }[] = [];
  /** The high surrogate at the end of a delta, whose partner comes with the next one. */
  readonly #held = { reasoning: '', text: '', refusal: '' };
  #found: Omit<StreamEnd, 'type' | 'complete'> = {};
  #hasNewName = false;

  constructor(mask: Mask, onContent: () => void) {
    this.mask = mask;
    this.onContent = onContent;
  }

  /** Adds a chunk. The first id and model win, and the last usage and `finish_reason`. */
  add(chunk: ReturnType<typeof readChunk>): void {
    for (const channel of channels) {
      if (chunk[channel] !== '') this.#addText(channel, chunk[channel]);
    }
    const { calledTools, finishReason, usage } = chunk;
    if (calledTools === true || finishReason !== undefined) this.onContent();
    const found = this.#found;
    const { id = chunk.id, model = chunk.model } = found;
    this.#hasNewName ||= id !== found.id || model !== found.model;
    this.#found = { ...found, ...definedFields({ id, model, finishReason, usage, calledTools }) };
  }

  /** Takes what arrived since the last call: the id and model if one is new, and the texts. */
  take(): readonly AnswerPart[] {
    const texts = this.#texts.map(({ channel, deltas }): AnswerPart => {
      const text = deltas.join('');
      if (channel === 'text') return { type: 'text-received', text, deltas };
      return { type: `${channel}-received`, text };
    });
    const { id, model } = this.#found;
    const name = { type: 'answer-named', ...definedFields({ id, model }) } as const;
    const parts = this.#hasNewName ? [name, ...texts] : texts;
    this.#texts = [];
    this.#hasNewName = false;
    return parts;
  }

  /** Takes the last parts: a surrogate that was held back, then the end. */
  end(): readonly AnswerPart[] {
    for (const channel of channels) {
      if (this.#held[channel] !== '') this.#append(channel, replacement);
    }
    const complete = this.isFinished || this.#found.finishReason !== undefined;
    return [...this.take(), { type: 'end', complete, ...this.#found }];
  }

  /** Joins surrogate pairs that a service split between two deltas; a lone surrogate becomes U+FFFD. */
  #addText(channel: Channel, delta: string): void {
    this.onContent();
    const text = this.#held[channel] + delta;
    const end = /[\ud800-\udbff]$/.test(text) ? text.length - 1 : text.length;
    this.#held[channel] = text.slice(end);
    const whole = text.slice(0, end).replace(/[\ud800-\udfff]/gu, replacement);
    if (whole !== '') this.#append(channel, whole);
  }

  #append(channel: Channel, delta: string): void {
    const last = this.#texts.at(-1);
    if (last?.channel === channel) last.deltas.push(delta);
    else this.#texts.push({ channel, deltas: [delta] });
  }
}
