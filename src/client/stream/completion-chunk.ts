import { definedFields, filledText, isJsonObject } from '../../json.ts';
import type { Usage } from '../contract.ts';

/** The contents of one chunk, or of one whole completion. Texts are empty, not absent, where there are none. */
export interface ChunkContent {
  readonly text: string;
  readonly reasoning: string;
  readonly refusal: string;
  readonly toolCalls: boolean;
  readonly id: string | undefined;
  readonly model: string | undefined;
  readonly finishReason: string | undefined;
  readonly usage: Usage | undefined;
}

interface Chunk {
  readonly id?: unknown;
  readonly model?: unknown;
  readonly choices?: unknown;
  readonly usage?: unknown;
  readonly finish_reason?: unknown;
}

interface Choice {
  readonly index?: unknown;
  readonly delta?: unknown;
  readonly message?: unknown;
  readonly finish_reason?: unknown;
  readonly usage?: unknown;
}

interface Turn {
  readonly content?: unknown;
  readonly reasoning?: unknown;
  readonly reasoning_content?: unknown;
  readonly refusal?: unknown;
  readonly tool_calls?: unknown;
}

function partText(part: unknown): string {
  if (typeof part === 'string') return part;
  if (!isJsonObject(part)) return '';
  return typeof part['text'] === 'string' ? part['text'] : '';
}

/** `content` is a string, null, or a list of parts; only parts with a `text` are read. */
function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  return Array.isArray(content) ? content.map(partText).join('') : '';
}

const readCount = (value: unknown) =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined;

/** The counts that are numbers; undefined where there are none. */
function readUsage(value: unknown): Usage | undefined {
  if (!isJsonObject(value)) return undefined;
  const usage = definedFields({
    prompt_tokens: readCount(value['prompt_tokens']),
    completion_tokens: readCount(value['completion_tokens']),
    total_tokens: readCount(value['total_tokens']),
  });
  return Object.keys(usage).length === 0 ? undefined : usage;
}

/** The choice with index 0 or without an index; the others are alternatives that natter does not request. */
export function answerChoice(choices: unknown): object | undefined {
  if (!Array.isArray(choices)) return undefined;
  return choices.find(
    (choice: unknown) => isJsonObject(choice) && (choice['index'] === 0 || choice['index'] == null),
  );
}

/**
 * Reads a chunk of a stream (`choices[].delta`) or a whole completion (`choices[].message`). Every field may be
 * missing, null or of a wrong type; usage and `finish_reason` may be on the chunk or on the choice.
 */
export function readChunk(chunk: Chunk): ChunkContent {
  const choice: Choice | undefined = answerChoice(chunk.choices);
  const source = choice?.delta ?? choice?.message;
  const turn: Turn = isJsonObject(source) ? source : {};
  return {
    text: contentText(turn.content),
    reasoning: filledText(turn.reasoning_content) ?? filledText(turn.reasoning) ?? '',
    refusal: filledText(turn.refusal) ?? '',
    toolCalls: Array.isArray(turn.tool_calls) && turn.tool_calls.length > 0,
    id: filledText(chunk.id),
    model: filledText(chunk.model),
    finishReason: filledText(choice?.finish_reason) ?? filledText(chunk.finish_reason),
    usage: readUsage(chunk.usage) ?? readUsage(choice?.usage),
  };
}
