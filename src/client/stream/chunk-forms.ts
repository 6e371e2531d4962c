import type { ChunkContent } from './completion-chunk.ts';
import {
  type ChunkForm,
  makeForm,
  matchForm,
  matchTexts,
  noForm,
  type TextEvents,
} from './chunk-form.ts';

/** Failed attempts to learn a chunk before giving up on a service whose chunks are all different. */
const maxFailures = 8;
/** Chunks with usage until one is learned: a single prompt has one. */
const firstUsage = 2;
/** The last one to learn: those of many services differ in more than these counts. */
const lastUsage = 3;
/** A stream has a form for its first chunk, for texts, for its end and for its usage. */
const maxForms = 8;
/** Characters. Longer chunks are rare, and learning one takes as long as parsing it. */
const maxChunk = 16_384;

/** What the chunks of a service have in common: reading only what differs takes a fraction of parsing them. */
export class ChunkForms {
  readonly #forms: ChunkForm[] = [];
  /** Of chunks that have none: matches no chunk. */
  readonly #other: ChunkForm = { ...noForm };
  #last: ChunkForm | undefined;
  #failures = 0;
  #usages = 0;
  #skipped: number;

  /** @param skipped chunks before the first one that is learned */
  constructor(skipped = 0) {
    this.#skipped = skipped;
  }

  /** Undefined if the chunk may differ in more than its id, time, counts and text. */
  match(data: string): ChunkContent | undefined {
    const known = this.#matchLast(data) ?? this.#matchNext(data);
    // The search takes as long as parsing a chunk that has no form.
    const content = this.#last?.next === this.#other ? known : (known ?? this.#search(data));
    if (content !== undefined) this.#failures = 0;
    return content;
  }

  /** Texts follow texts; the other forms occur once in an answer. */
  #matchLast(data: string): ChunkContent | undefined {
    return this.#last?.after === undefined ? undefined : matchForm(this.#last, data);
  }

  #matchNext(data: string): ChunkContent | undefined {
    const next = this.#last?.next;
    const content = next === undefined ? undefined : matchForm(next, data);
    if (content !== undefined) this.#last = next;
    return content;
  }

  /** The events at the start of a stream's part that have the form of the latest text. Undefined without any. */
  matchEvents(part: string): TextEvents | undefined {
    const last = this.#last;
    const form = last?.after === undefined ? last?.next : last;
    const found = form && matchTexts(form, part);
    if (found === undefined) return undefined;
    this.#last = form;
    this.#failures = 0;
    return found;
  }

  #search(data: string): ChunkContent | undefined {
    for (const form of this.#forms) {
      const content = matchForm(form, data);
      if (content === undefined) continue;
      this.#follow(form);
      return content;
    }
    return undefined;
  }

  #follow(form: ChunkForm): void {
    if (this.#last !== undefined) this.#last.next = form;
    this.#last = form;
  }

  /** @param content the parsed `data`, which contains no error */
  learn(data: string, content: ChunkContent): void {
    if (this.#skipped > 0) {
      this.#skipped -= 1;
      return;
    }
    const { reasoning, refusal, text, usage } = content;
    if (usage !== undefined) this.#usages += 1;
    const isLearnable = text === '' && this.#usages >= firstUsage && this.#usages <= lastUsage;
    // These differ in each chunk.
    if (reasoning !== '' || refusal !== '' || (usage !== undefined && !isLearnable)) {
      this.#follow(this.#other);
      return;
    }
    const isKnown = this.#search(data) !== undefined;
    if (isKnown || this.#failures >= maxFailures || data.length > maxChunk) return;
    this.#failures += 1;
    const form = makeForm(data, content);
    if (form === undefined) return;
    this.#follow(form);
    this.#forms.unshift(form);
    this.#forms.splice(maxForms);
  }
}
