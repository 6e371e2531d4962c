import { definedFields } from '../../json.ts';
import type { Usage } from '../contract.ts';
import type { AnswerNamed, ReasoningReceived, RefusalReceived, TextReceived } from '../events.ts';
import type { Mask } from '../failure/error-body.ts';
import type { readChunk } from './completion-chunk.ts';

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
  /** The model called a tool. */
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
