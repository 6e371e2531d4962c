import type { Usage } from '../contract.ts';
import type { AnswerNamed } from '../events.ts';
import type { Mask } from '../failure/error-body.ts';
import type { ChunkContent } from './completion-chunk.ts';
import type { Writable } from '../../writable.ts';
import { type TextEvent, TextRuns } from './text-runs.ts';

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
  readonly #texts = new TextRuns();
  #id: string | undefined;
  #model: string | undefined;
  #finishReason: string | undefined;
  #usage: Usage | undefined;
  #calledTools = false;
  #isFinished = false;
  #hasContent = false;
  #knownId: string | undefined;
  #knownModel: string | undefined;

  constructor(mask: Mask) {
    this.mask = mask;
  }

  add(chunk: ChunkContent): void {
    const { reasoning, text, refusal } = chunk;
    if (reasoning !== '') this.#texts.add('reasoning', reasoning);
    if (text !== '') this.#texts.add('text', text);
    if (refusal !== '') this.#texts.add('refusal', refusal);
    const hasText = reasoning !== '' || text !== '' || refusal !== '';
    if (hasText || chunk.toolCalls || chunk.finishReason !== undefined) this.#hasContent = true;
    this.#addMetadata(chunk);
  }

  /** Adds chunks that differ only in their texts, and keeps those. @param text the texts joined */
  addTexts(content: ChunkContent, texts: string[], text: string): void {
    this.#addMetadata(content);
    this.#texts.addTexts(texts, text);
    if (text !== '') this.#hasContent = true;
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
    const named = this.#takeNamed();
    return named === undefined ? texts : [named, ...texts];
  }

  /** The last parts: text that was held back, then the end. */
  end(): readonly AnswerPart[] {
    this.#texts.end();
    const texts = this.#texts.take();
    const end = this.#endPart();
    return texts.length === 0 ? [end] : [...texts, end];
  }

  #takeNamed(): AnswerNamed | undefined {
    const id = this.#id;
    const model = this.#model;
    if (id === this.#knownId && model === this.#knownModel) return undefined;
    this.#knownId = id;
    this.#knownModel = model;
    const type = 'answer-named';
    if (id !== undefined && model !== undefined) return { type, id, model };
    if (id !== undefined) return { type, id };
    return model === undefined ? { type } : { type, model };
  }

  #endPart(): StreamEnd {
    const finishReason = this.#finishReason;
    const complete = this.#isFinished || finishReason !== undefined;
    const end: Writable<StreamEnd> = { type: 'end', complete };
    if (this.#calledTools) end.calledTools = true;
    if (this.#id !== undefined) end.id = this.#id;
    if (this.#model !== undefined) end.model = this.#model;
    if (finishReason !== undefined) end.finishReason = finishReason;
    if (this.#usage !== undefined) end.usage = this.#usage;
    return end;
  }

  /** The first id and model win, and the last usage and `finish_reason`. */
  #addMetadata({ id, model, finishReason, usage, toolCalls }: ChunkContent): void {
    if (id !== undefined) this.#id ??= id;
    if (model !== undefined) this.#model ??= model;
    if (finishReason !== undefined) this.#finishReason = finishReason;
    if (usage !== undefined) this.#usage = usage;
    if (toolCalls) this.#calledTools = true;
  }
}
