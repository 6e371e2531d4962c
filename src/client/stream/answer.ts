import type { Usage } from '../contract.ts';
import type { AnswerNamed } from '../events.ts';
import type { Mask } from '../failure/short-text.ts';
import type { ChunkContent } from './completion-chunk.ts';
import type { Writable } from '../../writable.ts';
import { channels, createTextRuns, type TextEvent } from './text-runs.ts';

/** A piece of an answer, in the order of arrival. */
export type AnswerPart = AnswerNamed | TextEvent | StreamEnd;

/** `complete`: ended with `[DONE]` or a `finish_reason`, or the body was one whole JSON completion. */
export interface StreamEnd {
  readonly type: 'end';
  readonly complete: boolean;
  /** The model called a tool. */
  readonly calledTools?: boolean;
  readonly id?: string;
  readonly model?: string;
  readonly finishReason?: string;
  readonly usage?: Usage;
}

/** Collects an answer from its chunks: texts in order of arrival, and the metadata merged. */
export interface Answer {
  /** For the texts of errors. */
  readonly mask: Mask;
  add(content: ChunkContent): void;
  /** Marks the answer as complete, with or without a `finish_reason`. */
  finish(): void;
  /** Counts as content, although there is nothing to show yet. */
  touch(): void;
  /** Whether there is nothing more to read. */
  finished(): boolean;
  /** Whether content arrived since the last call; usage, ids and empty chunks do not count. */
  hadContent(): boolean;
  /** The id and model if they are new, and the texts since the last call; adjacent texts of one kind are joined. */
  takeParts(): AnswerPart[];
  /** The last parts: text that was held back, then the end. */
  end(): AnswerPart[];
}

/** The first id and model win, and the last usage and `finish_reason`. */
function addMetadata(end: Writable<StreamEnd>, chunk: ChunkContent): void {
  const { id, model, finishReason, usage, toolCalls } = chunk;
  if (id !== undefined) end.id ??= id;
  if (model !== undefined) end.model ??= model;
  if (finishReason !== undefined) end.finishReason = finishReason;
  if (usage !== undefined) end.usage = usage;
  if (toolCalls) end.calledTools = true;
}

/** Returns an event each time that the id or the model is new. */
function createNaming(): (end: StreamEnd) => readonly AnswerNamed[] {
  const named: Writable<AnswerNamed> = { type: 'answer-named' };
  return ({ id, model }) => {
    if (id === named.id && model === named.model) return [];
    if (id !== undefined) named.id = id;
    if (model !== undefined) named.model = model;
    return [{ ...named }];
  };
}

export function createAnswer(mask: Mask): Answer {
  const texts = createTextRuns();
  let finished = false;
  let content = false;
  const end: Writable<StreamEnd> = { type: 'end', complete: false };
  const takeName = createNaming();

  return {
    mask,
    add(chunk) {
      for (const channel of channels) {
        if (chunk[channel] === '') continue;
        texts.add(channel, chunk[channel]);
        content = true;
      }
      if (chunk.toolCalls || chunk.finishReason !== undefined) content = true;
      addMetadata(end, chunk);
    },
    finish() {
      finished = true;
    },
    touch() {
      content = true;
    },
    finished: () => finished,
    hadContent() {
      const had = content;
      content = false;
      return had;
    },
    takeParts: () => [...takeName(end), ...texts.take()],
    end() {
      texts.end();
      end.complete = finished || end.finishReason !== undefined;
      return [...texts.take(), end];
    },
  };
}
