import { ALWAYS_REMOVED } from '../filtered-characters.ts';

/** A text with its escapes resolved, as far as they are whole. */
export interface DecodedText {
  readonly text: string;
  /** Where the character of `text` at `index` is in the original; for its length, the original's length. */
  readonly position: (index: number) => number;
}

const percentEscapes = /(?:%[\da-fA-F]{2})+/g;

const jsonEscapes = /(?:%[\da-fA-F]{2})+|\\(?:u[\da-fA-F]{4}|[^u])/g;
/** Escaped several times, as JSON in JSON is; and a backslash that happens to be before a secret. */
const manyEscapes = /(?:%[\da-fA-F]{2})+|\\+(?:u[\da-fA-F]{4}|[^u])/g;

/** What a terminal does not show and the sanitizer removes: a secret interrupted by it would be whole again. */
const hidden = new RegExp(String.raw`\u001b\[[0-?]*[ -/]*[@-~]|${ALWAYS_REMOVED}`, 'g');
const anyHidden = new RegExp(hidden.source);

/** Whether a text has escape sequences or characters that are not shown. */
export function hasHidden(text: string): boolean {
  return anyHidden.test(text);
}

/** How many bytes a UTF-8 character has that begins with `byte`. */
function characterLength(byte: number): number {
  if (byte < 0xc0) return 1;
  if (byte < 0xe0) return 2;
  return byte < 0xf0 ? 3 : 4;
}

/** The characters of one match, each with its length as written. */
function decodeEscape(escape: string): readonly (readonly [character: string, length: number])[] {
  if (!/^[%\\]/.test(escape)) return [['', escape.length]];
  if (escape.startsWith('\\')) {
    const code = /u(?<code>....)$/.exec(escape)?.groups?.['code'];
    const last = escape.at(-1) ?? '';
    const character = code === undefined ? last : String.fromCharCode(Number.parseInt(code, 16));
    return [[character, escape.length]];
  }
  const bytes = Buffer.from(escape.replaceAll('%', ''), 'hex');
  const characters: (readonly [string, number])[] = [];
  for (let index = 0; index < bytes.length;) {
    const character = bytes.subarray(index, index + characterLength(bytes[index] ?? 0));
    characters.push([character.toString(), character.length * 3]);
    index += character.length;
  }
  return characters;
}

/**
 * The ways to read a text in which something is escaped or hidden, as few are: without what is hidden; its percent
 * encoding resolved; its JSON escapes as
 * well; and those where they are escaped again. A line break in JSON is read as the letter n, which harms nothing: no
 * secret has one.
 */
export function decodedTexts(original: string): readonly DecodedText[] {
  const escapes = [
    ...(hasHidden(original) ? [hidden] : []),
    ...(original.includes('%') ? [percentEscapes] : []),
    ...(original.includes('\\') ? [jsonEscapes, manyEscapes] : []),
  ];
  return escapes.map((pattern) => decodeText(original, pattern));
}

function decodeText(original: string, escapes: RegExp): DecodedText {
  // Both ascend: from this place in the text on, the original is that much further.
  const places: number[] = [0];
  const shifts: number[] = [0];
  let text = '';
  let end = 0;
  for (const match of original.matchAll(escapes)) {
    text += original.slice(end, match.index);
    end = match.index;
    for (const [character, length] of decodeEscape(match[0])) {
      text += character;
      end += length;
      places.push(text.length);
      shifts.push(end - text.length);
    }
  }
  text += original.slice(end);
  return {
    text,
    position(index) {
      let [low, high] = [0, places.length - 1];
      while (low < high) {
        const middle = Math.ceil((low + high) / 2);
        if ((places[middle] ?? 0) <= index) low = middle;
        else high = middle - 1;
      }
      return index + (shifts[low] ?? 0);
    },
  };
}
