import { ALWAYS_REMOVED } from '../filtered-characters.ts';

/** A text with its complete escapes resolved. */
export interface DecodedText {
  readonly text: string;
  /** The index in the original of the character at `index` of `text`; the length maps to the length. */
  readonly position: (index: number) => number;
}

let hiddenPattern: RegExp | undefined;

/** Not shown by a terminal, and removed by the sanitizer, which would make a secret interrupted by it whole. */
const hidden = () =>
  (hiddenPattern ??= new RegExp(String.raw`\u001b\[[0-?]*[ -/]*[@-~]|${ALWAYS_REMOVED}`, 'g'));

export function hasHidden(text: string): boolean {
  // Most secrets are words of printable ASCII, and their check has compiled this pattern (`keyProblem`).
  return /[^\x21-\x7e]/.test(text) && text.search(hidden()) !== -1;
}

/** The bytes of a UTF-8 character with this first byte. */
function characterLength(byte: number): number {
  if (byte < 0xc0) return 1;
  if (byte < 0xe0) return 2;
  return byte < 0xf0 ? 3 : 4;
}

/** The characters of one match, each with the length of its escape. */
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
 * The text without hidden characters, with its percent encoding resolved, with its JSON escapes resolved too, and with
 * repeated JSON escapes; only the variants that differ. An escaped line break becomes the letter n, because no secret
 * has one.
 */
export function decodedTexts(original: string): readonly DecodedText[] {
  const escapes = [
    ...(hasHidden(original) ? [hidden()] : []),
    ...(original.includes('%') ? [/(?:%[\da-fA-F]{2})+/g] : []),
    ...(original.includes('\\')
      ? [
          /(?:%[\da-fA-F]{2})+|\\(?:u[\da-fA-F]{4}|[^u])/g,
          // Escaped several times, as in JSON within JSON. Also covers a backslash that precedes a secret by chance.
          /(?:%[\da-fA-F]{2})+|\\+(?:u[\da-fA-F]{4}|[^u])/g,
        ]
      : []),
  ];
  return escapes.map((pattern) => decodeText(original, pattern));
}

function decodeText(original: string, escapes: RegExp): DecodedText {
  // Both ascend: from the index in `places` on, the original is further by the number in `shifts`.
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
