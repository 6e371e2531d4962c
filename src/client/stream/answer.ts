import type { Mask } from '../failure/short-text.ts';
import type { ChunkContent } from './completion-chunk.ts';
import type { Usage } from '../contract.ts';
import type { AnswerNamed } from '../events.ts';
import { channels, createTextRuns, type TextEvent } from './text-runs.ts';

/** A piece of an answer, as it was read. */
export type AnswerPart = AnswerNamed | TextEvent | StreamEnd;

/**
 * The last part. `complete`: the answer said that it ended, with `[DONE]`, a `finish_reason`, or by being one
 * whole JSON body.
 */
export interface StreamEnd {
  readonly type: 'end';
  readonly complete: boolean;
  /** The model asked for a tool. */
  readonly calledTools?: boolean;
  readonly id?: string;
  readonly model?: string;
  readonly finishReason?: string;
  readonly usage?: Usage;
}

/** Gathers an answer from its chunks: texts in order of arrival, and the last word on everything else. */
export interface Answer {
  /** For the texts of errors. */
  readonly mask: Mask;
  add(content: ChunkContent): void;
  /** The answer said that it ended, beyond any `finish_reason`. */
  finish(): void;
  /** Notes content of which nothing can be shown yet. */
  touch(): void;
  /** Whether nothing more is to be read. */
  finished(): boolean;
  /** Whether anything but bookkeeping came since this was last asked. */
  tookContent(): boolean;
  /** The name, where it is new, and the texts since this was last asked, neighbours of one kind joined. */
  takeParts(): AnswerPart[];
  /** The last parts: text that was held back, then the end. */
  end(): AnswerPart[];
}

type Metadata = Omit<StreamEnd, 'type' | 'complete'>;

/** The first id and model stay, the last usage and `finish_reason` win. */
function mergeMetadata(told: Metadata, chunk: ChunkContent): Metadata {
  const { id, model, finishReason, usage, toolCalls } = chunk;
  let next = told;
  if (id !== undefined && told.id === undefined) next = { ...next, id };
  if (model !== undefined && told.model === undefined) next = { ...next, model };
  if (finishReason !== undefined) next = { ...next, finishReason };
  if (usage !== undefined) next = { ...next, usage };
  if (toolCalls) next = { ...next, calledTools: true };
  return next;
}

/** Tells the name once for each time that it says more. */
function createNaming(): (told: Metadata) => readonly AnswerNamed[] {
  let named: Metadata = {};
  return (told) => {
    const { id, model } = told;
    if (id === named.id && model === named.model) return [];
    named = told;
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
  let told: Metadata = {};
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
      told = mergeMetadata(told, chunk);
    },
    finish() {
      finished = true;
    },
    touch() {
      content = true;
    },
    finished: () => finished,
    tookContent() {
      const took = content;
      content = false;
      return took;
    },
    takeParts: () => [...takeName(told), ...texts.take()],
    end() {
      texts.end();
      const complete = finished || told.finishReason !== undefined;
      return [...texts.take(), { type: 'end', complete, ...told }];
    },
  };
}
