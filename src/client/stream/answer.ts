import { definedFields } from '../../json.ts';
import type { Usage } from '../contract.ts';
import type { AnswerNamed, ReasoningReceived, RefusalReceived, TextReceived } from '../events.ts';
import type { Mask } from '../failure/error-body.ts';
import type { ChunkContent } from './completion-chunk.ts';

type Channel = 'reasoning' | 'text' | 'refusal';

/** Adjacent deltas of one channel. */
interface Run {
  readonly channel: Channel;
  readonly deltas: string[];
  /** The deltas joined. */
  text: string;
}

/** All strings are well-formed and not empty. */
type TextEvent = TextReceived | ReasoningReceived | RefusalReceived;

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

function toEvent({ channel, deltas, text }: Run): TextEvent {
  if (channel === 'text') return { type: 'text-received', text, deltas };
  return { type: `${channel}-received`, text };
}

/** U+FFFD, for a surrogate without its partner. */
const replacement = '\uFFFD';

/** Collects an answer from its chunks: texts in order of arrival, and the metadata merged. */
export class Answer {
  /** For the texts of errors. */
  readonly mask: Mask;
  #runs: Run[] = [];
  /** The high surrogate at the end of a delta, whose partner comes with the next one. */
  readonly #held = { reasoning: '', text: '', refusal: '' };
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

  /** The first id and model win, and the last usage and `finish_reason`. */
  add(chunk: ChunkContent): void {
    const { reasoning, text, refusal, id, model, finishReason, usage, toolCalls } = chunk;
    if (reasoning !== '') this.#addText('reasoning', reasoning);
    if (text !== '') this.#addText('text', text);
    if (refusal !== '') this.#addText('refusal', refusal);
    if (toolCalls || finishReason !== undefined) this.#hasContent = true;
    this.#id ??= id;
    this.#model ??= model;
    this.#finishReason = finishReason ?? this.#finishReason;
    this.#usage = usage ?? this.#usage;
    this.#calledTools ||= toolCalls;
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
    const texts = this.#runs.map(toEvent);
    this.#runs = [];
    return [...this.#takeNamed(), ...texts];
  }

  /** The last parts: a surrogate that was held back, then the end. */
  end(): readonly AnswerPart[] {
    for (const channel of ['reasoning', 'text', 'refusal'] as const) {
      if (this.#held[channel] !== '') this.#append(channel, replacement);
    }
    const fields = {
      id: this.#id,
      model: this.#model,
      finishReason: this.#finishReason,
      usage: this.#usage,
      calledTools: this.#calledTools || undefined,
    };
    const complete = this.#isFinished || this.#finishReason !== undefined;
    return [...this.takeParts(), { type: 'end', complete, ...definedFields(fields) }];
  }

  /** Joins surrogate pairs that a service split between two deltas; a lone surrogate becomes U+FFFD. */
  #addText(channel: Channel, delta: string): void {
    this.#hasContent = true;
    const text = this.#held[channel] + delta;
    const end = /[\ud800-\udbff]$/.test(text) ? text.length - 1 : text.length;
    this.#held[channel] = text.slice(end);
    const whole = text.slice(0, end).replace(/[\ud800-\udfff]/gu, replacement);
    if (whole !== '') this.#append(channel, whole);
  }

  #append(channel: Channel, text: string): void {
    const last = this.#runs.at(-1);
    if (last?.channel === channel) {
      last.deltas.push(text);
      last.text += text;
    } else this.#runs.push({ channel, deltas: [text], text });
  }

  #takeNamed(): readonly AnswerNamed[] {
    const id = this.#id;
    const model = this.#model;
    if (id === this.#knownId && model === this.#knownModel) return [];
    this.#knownId = id;
    this.#knownModel = model;
    return [{ type: 'answer-named', ...definedFields({ id, model }) }];
  }
}
