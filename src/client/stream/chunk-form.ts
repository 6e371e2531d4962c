import { isJsonObject, parseAnyJson } from '../../json.ts';
import type { Writable } from '../../writable.ts';
import type { Usage } from '../contract.ts';
import { contentWith, counts, readChunk, type ChunkContent } from './completion-chunk.ts';

/** A place where chunks of the same form differ, apart from their text. */
type Hole = 'id' | 'created' | keyof Usage;

/** What is around the texts of events that follow one another. */
interface EventLiterals {
  readonly start: string;
  readonly between: string;
  readonly end: string;
}

/** Chunks that differ only in their id, time, token counts and text. */
export interface ChunkForm {
  /** The literals before and after the holes; the last one ends before the text, or at the end without one. */
  readonly literals: readonly string[];
  readonly holes: readonly Hole[];
  /** After the text; undefined for chunks without text. */
  readonly after: string | undefined;
  /** The latest chunk up to its text, and its content: the next chunk is usually of the same answer. */
  head: string;
  content: ChunkContent;
  /** The literals of events with this head; created when they are needed. */
  events: EventLiterals | undefined;
  /** The form that followed the last time. */
  next: ChunkForm | undefined;
}

const probe = 'probe';
const noText = { after: undefined, events: undefined, next: undefined };
/** No chunk begins like this. */
export const noForm = {
  literals: ['\0'],
  holes: [],
  head: '\0',
  content: readChunk({}),
  ...noText,
};
/** Without escapes, quotes and control characters, which JSON does not allow. `\p{Cc}` would take 0.1 ms to compile. */
const plain = /^[ !#-[\]-~\u00a0-\uffff]*$/;
/** Between two quotes, these characters are a string, not the punctuation between two strings. */
const plainId = /^[\w.:-]*\w$/;
const numbers = (['created', ...counts] as const).map(
  (hole) => [hole, new RegExp(`"${hole}": ?(0|[1-9]\\d*)`, 'g')] as const,
);
const digits = /0|[1-9]\d{0,14}/y;

interface FoundHole {
  readonly hole: Hole;
  readonly start: number;
  readonly end: number;
}

/** The id, the time and the counts, if they occur once. */
function findHoles(data: string, { id, usage }: ChunkContent): readonly FoundHole[] {
  const found: FoundHole[] = [];
  for (const [hole, pattern] of numbers) {
    if (hole !== 'created' && usage?.[hole] === undefined) continue;
    const [number, second] = data.matchAll(pattern);
    if (number === undefined || second !== undefined) continue;
    const end = number.index + number[0].length;
    found.push({ hole, start: end - (number[1]?.length ?? 0), end });
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

/** What replaces the hole: a count that differs from the one in the form's chunk. */
function probeOf(hole: Hole, { usage }: ChunkContent): string {
  if (hole === 'id') return probe;
  return String(hole === 'created' ? 1 : (usage?.[hole] ?? 0) + 1);
}

/** The content of a chunk in which probes replace the holes. */
function isProbed(holes: readonly Hole[], before: ChunkContent, { id, usage }: ChunkContent) {
  return holes.every((hole) => {
    if (hole === 'created') return true;
    return probeOf(hole, before) === (hole === 'id' ? id : String(usage?.[hole]));
  });
}

/**
 * Whether probes replace the id, the counts and the text. A text such as `:` or `,` also occurs between the quotes of two other
 * strings, where inserting the probe does not change the text.
 */
function isValid({ literals, holes, content, after = '' }: ChunkForm, hasText: boolean): boolean {
  const filled = literals.map((literal, at) => {
    const hole = holes[at];
    return hole === undefined ? literal : literal + probeOf(hole, content);
  });
  const value = parseAnyJson(`${filled.join('')}${hasText ? probe : ''}${after}`);
  if (!isJsonObject(value)) return false;
  const probed = readChunk(value);
  return probed.text === (hasText ? probe : '') && isProbed(holes, content, probed);
}

/** The form of a parsed chunk; undefined if its text or its id is not found for certain. */
export function makeForm(data: string, content: ChunkContent): ChunkForm | undefined {
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
  const form = { literals, holes, after, head, content, events: undefined, next: undefined };
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
  const usage: Writable<Usage> | undefined = form.content.usage && { ...form.content.usage };
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
    else if (hole !== 'created' && usage !== undefined) {
      usage[hole] = Number(data.slice(at, after));
    }
    at = after;
  }
  form.head = data.slice(0, at);
  form.events = undefined;
  form.content = contentWith(form.content, form.content.text, id, usage);
  return true;
}

/** The content of a chunk, which the form keeps; undefined for a different form. */
export function matchForm(form: ChunkForm, data: string): ChunkContent | undefined {
  // Comparing slices is six times as fast as startsWith.
  if (data.slice(0, form.head.length) !== form.head && !readHead(form, data)) return undefined;
  const { head, after, content } = form;
  if (after === undefined) return data.length === head.length ? content : undefined;
  const end = data.length - after.length;
  if (end < head.length || data.slice(end) !== after) return undefined;
  const text = parseText(data.slice(head.length, end));
  return text === undefined ? undefined : contentWith(content, text, content.id, content.usage);
}

const eventStart = 'data: ';

/** @returns undefined if the part begins with an event of a different form, or with one of an unknown head */
function literalsAt(form: ChunkForm, part: string): EventLiterals | undefined {
  const { head, after, events } = form;
  if (after === undefined) return undefined;
  const start = events?.start ?? eventStart + head;
  if (part.slice(0, start.length) !== start) {
    if (!part.startsWith(eventStart) || !readHead(form, part.slice(eventStart.length)))
      return undefined;
    return literalsAt(form, part);
  }
  form.events ??= { start, between: `${after}\n\n${start}`, end: `${after}\n\n` };
  return form.events;
}

/** @returns undefined if one of them is not a text */
function parseTexts(pieces: readonly string[]): string[] | undefined {
  const texts = pieces.map(parseText);
  return texts.every((text) => text !== undefined) ? texts : undefined;
}

/** Texts of events that follow one another; the receiver may keep and change the list. */
export interface TextEvents {
  readonly texts: string[];
  /** The texts joined. */
  readonly text: string;
  /** The rest of their content, which is the same. */
  readonly content: ChunkContent;
  /** What follows them. */
  readonly rest: string;
}

/** The events of this form at the start of a stream's part. Undefined without any. */
export function matchTexts(form: ChunkForm, part: string): TextEvents | undefined {
  const literals = literalsAt(form, part);
  if (literals === undefined) return undefined;
  const { start, between, end } = literals;
  const pieces: string[] = [];
  let rest = 0;
  let at = start.length;
  // A search for the next quote and a comparison are faster than a search for a long text, as `split` does it.
  for (let quote = part.indexOf('"', at); quote !== -1; quote = part.indexOf('"', quote + 1)) {
    const isEnd = part.slice(quote, quote + end.length) === end;
    // The quote may be escaped.
    if (!isEnd && part[quote - 1] === '\\') continue;
    if (!isEnd) break;
    pieces.push(part.slice(at, quote));
    rest = quote + end.length;
    if (part.slice(quote, quote + between.length) !== between) break;
    at = quote + between.length;
    quote = at - 1;
  }
  if (pieces.length === 0) return undefined;
  const joined = pieces.join('');
  const isPlain = plain.test(joined);
  const texts = isPlain ? pieces : parseTexts(pieces);
  if (texts === undefined) return undefined;
  const text = isPlain ? joined : texts.join('');
  return { texts, text, content: form.content, rest: part.slice(rest) };
}
