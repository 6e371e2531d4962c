import { isJsonObject, parseAnyJson } from '../../json.ts';
import { readChunk, type ChunkContent } from './completion-chunk.ts';

/** A place where chunks of the same form differ, apart from their text. */
type Hole = 'id' | 'created';

/** Chunks that differ only in their id, time and text. */
interface ChunkForm {
  /** The literals before and after the holes; the last one ends before the text, or at the end without one. */
  readonly literals: readonly string[];
  readonly holes: readonly Hole[];
  /** After the text; undefined for chunks without text. */
  readonly after: string | undefined;
  /** The latest chunk up to its text, and its content: the next chunk is usually of the same answer. */
  head: string;
  content: ChunkContent;
  /** What is between the texts of two events with this head; created when it is needed. */
  between: string | undefined;
  /** The form that followed the last time. */
  next: ChunkForm | undefined;
}

/** Failed attempts to learn a chunk before giving up on a service whose chunks are all different. */
const maxFailures = 8;
/** A stream has a form for its first chunk, for texts and for its end. */
const maxForms = 8;
/** Characters. Longer chunks are rare, and learning one takes as long as parsing it. */
const maxChunk = 16_384;
const probe = 'probe';
const noText = { after: undefined, between: undefined, next: undefined };
/** No chunk begins like this. */
const noForm = { literals: ['\0'], holes: [], head: '\0', content: readChunk({}), ...noText };
/** Without escapes, quotes and control characters, which JSON does not allow. `\p{Cc}` would take 0.1 ms to compile. */
const plain = /^[ !#-[\]-~\u00a0-\uffff]*$/;
/** Between two quotes, these characters are a string, not the punctuation between two strings. */
const plainId = /^[\w.:-]*\w$/;
const created = /"created": ?([1-9]\d*)/g;
const digits = /[1-9]\d*/y;

interface FoundHole {
  readonly hole: Hole;
  readonly start: number;
  readonly end: number;
}

/** The id and the time, if they occur once. */
function findHoles(data: string, { id }: ChunkContent): readonly FoundHole[] {
  const found: FoundHole[] = [];
  const [time, second] = data.matchAll(created);
  if (time !== undefined && second === undefined) {
    const end = time.index + time[0].length;
    found.push({ hole: 'created', start: end - (time[1]?.length ?? 0), end });
  }
  const quoted = `"${id}"`;
  const start = data.indexOf(quoted) + 1;
  if (id !== undefined && plainId.test(id) && start > 0 && !data.includes(quoted, start)) {
    found.push({ hole: 'id', start, end: start + id.length });
  }
  return found.toSorted((one, other) => one.start - other.start);
}

/** From before to after the text; both at the end of a chunk without text; undefined if the text is not found. */
function findText(data: string, { text }: ChunkContent): readonly [number, number] | undefined {
  if (text === '') return [data.length, data.length];
  const escaped = JSON.stringify(text).slice(1, -1);
  const start = data.indexOf(`"${escaped}"`) + 1;
  return start === 0 ? undefined : [start, start + escaped.length];
}

/**
 * Whether probes replace the id and the text. A text such as `:` or `,` also occurs between the quotes of two other
 * strings, where inserting the probe does not change the text.
 */
function isValid({ literals, holes, after = '' }: ChunkForm, hasText: boolean): boolean {
  const filled = literals.map((literal, at) => {
    const hole = holes[at];
    if (hole === undefined) return literal;
    return literal + (hole === 'id' ? probe : '1');
  });
  const value = parseAnyJson(`${filled.join('')}${hasText ? probe : ''}${after}`);
  if (!isJsonObject(value)) return false;
  const { id, text } = readChunk(value);
  return text === (hasText ? probe : '') && (!holes.includes('id') || id === probe);
}

function makeForm(data: string, content: ChunkContent): ChunkForm | undefined {
  const [start, end] = findText(data, content) ?? [];
  // `isValid` could not find the place of a text or an id that equals the probe.
  if (start === undefined || content.text === probe || content.id === probe) return undefined;
  const found = findHoles(data, content).filter((one) => one.end < start);
  const borders = [0, ...found.map((one) => one.end)];
  const literals = borders.map((border, at) => data.slice(border, found[at]?.start ?? start));
  const holes = found.map(({ hole }) => hole);
  const hasText = content.text !== '';
  const after = hasText ? data.slice(end) : undefined;
  const head = data.slice(0, start);
  const form = { literals, holes, after, head, content, between: undefined, next: undefined };
  return isValid(form, hasText) ? form : undefined;
}

/** The string between two quotes; undefined if it contains an unescaped quote, because it is then more than one string. */
function parseText(escaped: string): string | undefined {
  if (plain.test(escaped)) return escaped;
  return parseAnyJson(`"${escaped}"`) as string | undefined;
}

/** The index after the hole; undefined if something else is there. */
function endOfHole(data: string, hole: Hole, start: number): number | undefined {
  if (hole === 'id') {
    const end = data.indexOf('"', start);
    return end !== -1 && plainId.test(data.slice(start, end)) ? end : undefined;
  }
  digits.lastIndex = start;
  return digits.test(data) ? digits.lastIndex : undefined;
}

/** Reads the chunk up to its text, and keeps that in the form. @returns false for a different form */
function readHead(form: ChunkForm, data: string): boolean {
  const { literals, holes } = form;
  let at = 0;
  let { id } = form.content;
  for (let index = 0; index < literals.length; index += 1) {
    const { [index]: literal = '' } = literals;
    const end = at + literal.length;
    if (data.slice(at, end) !== literal) return false;
    at = end;
    const { [index]: hole } = holes;
    if (hole === undefined) continue;
    const after = endOfHole(data, hole, at);
    if (after === undefined) return false;
    if (hole === 'id') id = data.slice(at, after);
    at = after;
  }
  form.head = data.slice(0, at);
  form.between = undefined;
  form.content = { ...form.content, id };
  return true;
}

function matchForm(form: ChunkForm, data: string): ChunkContent | undefined {
  // Comparing slices is six times as fast as startsWith.
  if (data.slice(0, form.head.length) !== form.head && !readHead(form, data)) return undefined;
  const { head, after, content } = form;
  if (after === undefined) return data.length === head.length ? content : undefined;
  const end = data.length - after.length;
  if (end < head.length || data.slice(end) !== after) return undefined;
  const text = parseText(data.slice(head.length, end));
  return text === undefined ? undefined : { ...content, text };
}

/** @returns undefined if one of them is not a text */
function parseTexts(pieces: readonly string[]): readonly string[] | undefined {
  if (plain.test(pieces.join(''))) return pieces;
  const texts = pieces.map(parseText);
  return texts.every((text) => text !== undefined) ? texts : undefined;
}

/** Texts of events that follow one another. */
export interface TextEvents {
  readonly texts: readonly string[];
  /** The rest of their content, which is the same. */
  readonly content: ChunkContent;
  /** What follows them. */
  readonly rest: string;
}

/** What the chunks of a service have in common: reading only what differs takes a fraction of parsing them. */
export class ChunkForms {
  readonly #forms: ChunkForm[] = [];
  /** Of chunks that have none, such as the one with the usage: matches no chunk. */
  readonly #other: ChunkForm = { ...noForm };
  #last: ChunkForm | undefined;
  #failures = 0;

  /** Undefined if the chunk may differ in more than its id, time and text. */
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

  /**
   * The first events of a stream's part that have the form of the latest text, split at what is between their texts; all
   * but the last of them. Undefined without two such events.
   */
  matchEvents(part: string): TextEvents | undefined {
    const last = this.#last;
    const form = last?.after === undefined ? last?.next : last;
    if (form?.after === undefined) return undefined;
    const { head, after, content } = form;
    const start = `data: ${head}`;
    if (part.slice(0, start.length) !== start) return undefined;
    form.between ??= `${after}\n\n${start}`;
    const pieces = part.slice(start.length).split(form.between);
    const texts = parseTexts(pieces.slice(0, -1));
    if (pieces.length === 1 || texts === undefined) return undefined;
    this.#last = form;
    this.#failures = 0;
    return { texts, content, rest: `${start}${pieces.at(-1) ?? ''}` };
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
    const { reasoning, refusal, usage } = content;
    // These differ in each chunk.
    if (reasoning !== '' || refusal !== '' || usage !== undefined) {
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
