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
export class Answer {
  /** For the texts of errors. */
  readonly mask: Mask;
  readonly #texts = createTextRuns();
  readonly #end: Writable<StreamEnd> = { type: 'end', complete: false };
  #isFinished = false;
  #hasContent = false;
  #knownId: string | undefined;
  #knownModel: string | undefined;

  constructor(mask: Mask) {
    this.mask = mask;
  }

  add(chunk: ChunkContent): void {
    for (const channel of channels) {
      if (chunk[channel] === '') continue;
      this.#texts.add(channel, chunk[channel]);
      this.#hasContent = true;
    }
    if (chunk.toolCalls || chunk.finishReason !== undefined) this.#hasContent = true;
    addMetadata(this.#end, chunk);
  }

  /** Adds chunks that differ only in their texts. */
  addTexts(content: ChunkContent, texts: readonly string[]): void {
    addMetadata(this.#end, content);
    if (this.#texts.addTexts(texts)) this.#hasContent = true;
  }

  /** Marks the answer as complete, with or without a `finish_reason`. */
  finish(): void {
    this.#isFinished = true;
  }

  /** Counts as content, although there is nothing to show yet. */
  touch(): void {
    this.#hasContent = true;
  }

  /** Whether there is nothing more to read. */
  finished(): boolean {
    return this.#isFinished;
  }

  /** Whether content arrived since the last call; usage, ids and empty chunks do not count. */
  hadContent(): boolean {
    const had = this.#hasContent;
    this.#hasContent = false;
    return had;
  }

  /** The id and model if they are new, and the texts since the last call; adjacent texts of one kind are joined. */
  takeParts(): readonly AnswerPart[] {
    const texts = this.#texts.take();
    const { id, model } = this.#end;
    if (id === this.#knownId && model === this.#knownModel) return texts;
    this.#knownId = id;
    this.#knownModel = model;
    const named: Writable<AnswerNamed> = { type: 'answer-named' };
    if (id !== undefined) named.id = id;
    if (model !== undefined) named.model = model;
    return [named, ...texts];
  }

  /** The last parts: text that was held back, then the end. */
  end(): readonly AnswerPart[] {
    this.#texts.end();
    this.#end.complete = this.#isFinished || this.#end.finishReason !== undefined;
    return [...this.#texts.take(), this.#end];
  }
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
