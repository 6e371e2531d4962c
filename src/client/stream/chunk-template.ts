import { isJsonObject, parseAnyJson } from '../../json.ts';
import { readChunk, type ChunkContent } from './completion-chunk.ts';

/** Reads chunks that differ from an earlier chunk only in their text, as nearly all chunks of an answer do. */
export interface ChunkTemplate {
  /** Undefined if the chunk may differ in more than its text. */
  match(data: string): ChunkContent | undefined;
  /** `content` is the parsed `data`, which contains no error. */
  learn(data: string, content: ChunkContent): void;
}

interface Frame {
  readonly before: string;
  readonly after: string;
  readonly content: ChunkContent;
}

/** Failed attempts to learn a chunk before giving up on a service whose chunks are all different. */
const maxFailures = 8;
/** Characters. Longer chunks are rare, and learning one takes as long as parsing it. */
const maxChunk = 16_384;
const probe = 'probe';
/** Without escapes, quotes and control characters, which JSON does not allow. */
const plain = /^[^"\\\p{Cc}]*$/u;

/**
 * Undefined unless `before` ends, and `after` begins, at the quotes around the chunk's text. A text such as `:` or `,`
 * also occurs between the quotes of two other strings, where inserting the probe does not change the text.
 */
function verify(before: string, after: string, content: ChunkContent): Frame | undefined {
  const value = parseAnyJson(before + probe + after);
  if (!isJsonObject(value) || readChunk(value).text !== probe) return undefined;
  return { before, after, content };
}

function makeFrame(data: string, content: ChunkContent): Frame | undefined {
  // `verify` could not find the place of a text that equals the probe.
  if (content.text === probe) return undefined;
  const text = JSON.stringify(content.text).slice(1, -1);
  const start = data.indexOf(`"${text}"`) + 1;
  if (start === 0) return undefined;
  return verify(data.slice(0, start), data.slice(start + text.length), content);
}

/** The string between two quotes; undefined if it contains an unescaped quote, because it is then more than one string. */
function parseText(escaped: string): string | undefined {
  if (plain.test(escaped)) return escaped;
  return parseAnyJson(`"${escaped}"`) as string | undefined;
}

/** Parsing only the text reads a long answer in a third less time than parsing every chunk whole. */
export function createChunkTemplate(): ChunkTemplate {
  let frame: Frame | undefined;
  let failures = 0;
  return {
    match(data) {
      if (frame === undefined) return undefined;
      const { before, after, content } = frame;
      const end = data.length - after.length;
      // Comparing slices is six times as fast as startsWith.
      const isMatch =
        end >= before.length &&
        data.slice(0, before.length) === before &&
        data.slice(end) === after;
      if (!isMatch) return undefined;
      const text = parseText(data.slice(before.length, end));
      if (text === undefined) return undefined;
      failures = 0;
      return { ...content, text };
    },
    learn(data, content) {
      if (content.text === '' || failures >= maxFailures || data.length > maxChunk) return;
      failures += 1;
      frame = makeFrame(data, content);
    },
  };
}
