import { boundaryFrom, nextBoundary, previousBoundary } from './grapheme-boundary.ts';
import { moveTo, type Draft, type TextBuffer } from './text-buffer.ts';

/** A `line` ends at a line end, not at a wrap; `blank-word-left` moves to white space, like Ctrl+W in a shell. */
export type Motion =
  | 'left'
  | 'right'
  | 'word-left'
  | 'word-right'
  | 'blank-word-left'
  | 'line-start'
  | 'line-end'
  | 'text-start'
  | 'text-end';

/** UTF-16 units; a longer word takes several steps. */
const maxWordLength = 256;
const words = /[\p{Letter}\p{Number}\p{Mark}_]+|\p{Surrogate}/gu;
/** Scripts without spaces between words. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
let segmenter: Intl.Segmenter | undefined;

/** Start and end of every word of a short text; a paste marker is a word. */
function wordsOf(text: string): { start: number; end: number }[] {
  return Array.from(text.matchAll(words)).flatMap(({ 0: word, index }) => {
    if (!unspaced.test(word)) return [{ start: index, end: index + word.length }];
    segmenter ??= new Intl.Segmenter(undefined, { granularity: 'word' });
    return Array.from(segmenter.segment(word), (part) => ({
      start: index + part.index,
      end: index + part.index + part.segment.length,
    }));
  });
}

function wordLeft({ text, cursor }: Draft): number {
  const start = boundaryFrom(text, Math.max(0, cursor - maxWordLength));
  const word = wordsOf(text.slice(start, cursor)).at(-1);
  const target = boundaryFrom(text, start + (word?.start ?? 0));
  return target < cursor ? target : previousBoundary(text, cursor);
}

function wordRight({ text, cursor }: Draft): number {
  const [word] = wordsOf(text.slice(cursor, cursor + maxWordLength));
  return boundaryFrom(text, cursor + (word?.end ?? maxWordLength));
}

function blankWordLeft({ text, cursor }: Draft): number {
  const before = text.slice(Math.max(0, cursor - maxWordLength), cursor);
  const length = /\S*\s*$/.exec(before)?.[0].length ?? 0;
  const target = boundaryFrom(text, cursor - length);
  return target < cursor ? target : previousBoundary(text, cursor);
}

function lineStart({ text, cursor }: Draft): number {
  return cursor === 0 ? 0 : text.lastIndexOf('\n', cursor - 1) + 1;
}

function lineEnd({ text, cursor }: Draft): number {
  const end = text.indexOf('\n', cursor);
  return end === -1 ? text.length : end;
}

const targets: Readonly<Record<Motion, (draft: Draft) => number>> = {
  left: ({ text, cursor }) => previousBoundary(text, cursor),
  right: ({ text, cursor }) => nextBoundary(text, cursor),
  'word-left': wordLeft,
  'word-right': wordRight,
  'blank-word-left': blankWordLeft,
  'line-start': lineStart,
  'line-end': lineEnd,
  'text-start': () => 0,
  'text-end': ({ text }) => text.length,
};

/** The caret's offset after a motion; unchanged if it cannot move. */
export function targetOf(draft: Draft, motion: Motion): number {
  return targets[motion](draft);
}

export function move(buffer: TextBuffer, motion: Motion): TextBuffer {
  return moveTo(buffer, targetOf(buffer, motion));
}
