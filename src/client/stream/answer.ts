import type { Usage } from '../contract.ts';
import type { AnswerNamed } from '../events.ts';
import type { Mask } from '../failure/short-text.ts';
import type { ChunkContent } from './completion-chunk.ts';
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

type Metadata = Omit<StreamEnd, 'type' | 'complete'>;

/** The first id and model win, and the last usage and `finish_reason`. */
function mergeMetadata(before: Metadata, chunk: ChunkContent): Metadata {
  const { id, model, finishReason, usage, toolCalls } = chunk;
  const isNamed = (before.id ?? id) === before.id && (before.model ?? model) === before.model;
  if (isNamed && finishReason === undefined && usage === undefined && !toolCalls) return before;
  let next = before;
  if (id !== undefined && before.id === undefined) next = { ...next, id };
  if (model !== undefined && before.model === undefined) next = { ...next, model };
  if (finishReason !== undefined) next = { ...next, finishReason };
  if (usage !== undefined) next = { ...next, usage };
  if (toolCalls) next = { ...next, calledTools: true };
  return next;
}

/** Returns an event each time that the id or the model is new. */
function createNaming(): (metadata: Metadata) => readonly AnswerNamed[] {
  let named: Metadata = {};
  return (metadata) => {
    const { id, model } = metadata;
    if (id === named.id && model === named.model) return [];
    named = metadata;
    return [
      {
        type: 'answer-named',
        ...(id !== undefined && { id }),
        ...(model !== undefined && { model }),
      },
    ];
  };
}

export function createAnswer(mask: Mask): Answer {
  const texts = createTextRuns();
  let finished = false;
  let content = false;
  let metadata: Metadata = {};
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
      metadata = mergeMetadata(metadata, chunk);
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
    takeParts: () => [...takeName(metadata), ...texts.take()],
    end() {
      texts.end();
      const complete = finished || metadata.finishReason !== undefined;
      return [...texts.take(), { type: 'end', complete, ...metadata }];
    },
  };
}
