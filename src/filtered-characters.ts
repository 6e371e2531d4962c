// Characters that natter removes or escapes in text from a server or a file, as regular expression source over UTF-16
// code units.

/** C1 controls and DEL. Without C0, which JSON escapes anyway and which contains TAB and LF. */
const UPPER_CONTROLS = String.raw`\x7f-\x9f`;

/** Direction marks and overrides, zero-width characters, line and paragraph separators, annotation marks. */
const INVISIBLE = String.raw`\u061c\u200b\u200e\u200f\u2028-\u202e\u2060\u2066-\u206f\ufeff\ufff9-\ufffb`;

/** Plane 14: tag characters and supplementary variation selectors, which can contain hidden text. */
const PLANE_14 = String.raw`\udb40[\udc00-\udfff]`;

const LONE_SURROGATE = String.raw`[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]`;

/** Single characters that the sanitizer always removes. */
const ALWAYS_REMOVED = String.raw`[\x00-\x08\x0b-\x1f${UPPER_CONTROLS}${INVISIBLE}]`;

/** What the sanitizer must check: all of the above, C0 except TAB and LF, and the black flag. */
export const POSSIBLY_UNSAFE = String.raw`${ALWAYS_REMOVED}|\ud83c\udff4|${PLANE_14}|${LONE_SURROGATE}`;

/**
 * Every code unit that a terminal never shows. Also the halves of pairs, because a text may be cut between them; a pair
 * of plane 14 begins with U+DB40.
 */
export const NEVER_SHOWN = String.raw`${ALWAYS_REMOVED}|\udb40[\udc00-\udfff]?|(?<![\ud800-\udbff])[\udc00-\udfff]`;

/** Characters that natter escapes in JSON (`\uXXXX`). */
export const UNSAFE_IN_JSON = `[${UPPER_CONTROLS}${INVISIBLE}]|${PLANE_14}|${LONE_SURROGATE}`;

/** Characters that HTML pages must not contain: those that hide or reorder text, and lone surrogates. */
export const HIDDEN_IN_PAGES = `[${INVISIBLE}]|${PLANE_14}|${LONE_SURROGATE}`;

/** A subdivision flag, whose tags are not hidden text (UTS 51, ED-14a). */
export const TAGGED_FLAG = String.raw`\ud83c\udff4(?:\udb40[\udc20-\udc7e]){1,6}\udb40\udc7f`;

/** Parser state within an escape sequence. */
export type SequenceState = 'text' | 'escape' | 'intermediate' | 'csi' | 'string';

const BEL = 0x07;
const LF = 0x0a;
const CR = 0x0d;
const CAN = 0x18;
const SUB = 0x1a;
const ESC = 0x1b;
const DEL = 0x7f;

/**
 * The state after one more code unit (ECMA-48 5.4 and 5.6, as xterm reads it), with two differences: BEL ends every
 * kind of string, and a line end ends any sequence, so hostile text cannot hide the lines after it. A printable
 * character that a sequence cannot contain is text.
 * @returns undefined if the sequence ended before this code unit
 */
function advanceSequence(state: SequenceState, code: number): SequenceState | undefined {
  if (code === ESC) return 'escape';
  if (code === LF || code === CR) return undefined;
  if (code === CAN || code === SUB) return 'text';
  if (code >= 0x80 && code <= 0x9f) return introducedBy(code - 0x40);
  switch (state) {
    case 'string':
      return code === BEL ? 'text' : 'string';
    case 'csi':
      return code < 0x40 || code === DEL ? 'csi' : code < DEL ? 'text' : undefined;
    case 'escape':
      if (code < 0x20 || code === DEL) return 'escape';
      if (code < 0x30) return 'intermediate';
      return code < DEL ? introducedBy(code) : undefined;
    case 'intermediate':
      if (code < 0x30 || code === DEL) return 'intermediate';
      return code < DEL ? 'text' : undefined;
    case 'text':
    default:
      return 'text';
  }
}

/** What `ESC` and this character start; a C1 control is the same with 0x40 added (ECMA-48 5.3). */
function introducedBy(code: number): SequenceState {
  const character = String.fromCharCode(code);
  if (character === '[') return 'csi';
  return /[\]PX^_]/.test(character) ? 'string' : 'text';
}

/** The state after a character that is not shown. */
export function startSequence(character: string): SequenceState {
  return advanceSequence('text', character.charCodeAt(0)) ?? 'text';
}

/** Continues a sequence at `start`. @returns where the text after it begins; the text's length if it has not ended */
export function skipSequence(
  text: string,
  start: number,
  state: { sequence: SequenceState },
): number {
  for (let index = start; index < text.length; index += 1) {
    const next = advanceSequence(state.sequence, text.charCodeAt(index));
    state.sequence = next ?? 'text';
    if (next === undefined) return index;
    if (next === 'text') return index + 1;
  }
  return text.length;
}
