/** Parser state within an escape sequence; `reread` means that the sequence ended before the given character. */
export type SequenceState = 'text' | 'escape' | 'intermediate' | 'csi' | 'string' | 'reread';

const BEL = 0x07;
const LF = 0x0a;
const CR = 0x0d;
const CAN = 0x18;
const SUB = 0x1a;
const ESC = 0x1b;
const DEL = 0x7f;

/**
 * The state after one more code unit (ECMA-48 5.4 and 5.6, as xterm reads it, with two differences that favour
 * the reader: BEL ends every kind of string, and a line end ends any sequence, so that hostile text cannot hide
 * the lines that follow). A printable character a sequence cannot hold is given back to the text.
 */
export function advanceSequence(state: SequenceState, code: number): SequenceState {
  if (code === ESC) return 'escape';
  if (code === LF || code === CR) return 'reread';
  if (code === CAN || code === SUB) return 'text';
  if (code >= 0x80 && code <= 0x9f) return introducedBy(code - 0x40);
  switch (state) {
    case 'string':
      return code === BEL ? 'text' : 'string';
    case 'csi':
      return code < 0x40 || code === DEL ? 'csi' : code < DEL ? 'text' : 'reread';
    case 'escape':
      if (code < 0x20 || code === DEL) return 'escape';
      if (code < 0x30) return 'intermediate';
      return code < DEL ? introducedBy(code) : 'reread';
    case 'intermediate':
      if (code < 0x30 || code === DEL) return 'intermediate';
      return code < DEL ? 'text' : 'reread';
    case 'text':
    case 'reread':
    default:
      return 'text';
  }
}

/** What `ESC` and this character open; a C1 control is the same with 0x40 added (ECMA-48 5.3). */
function introducedBy(code: number): SequenceState {
  switch (String.fromCharCode(code)) {
    case '[':
      return 'csi';
    case ']':
    case 'P':
    case 'X':
    case '^':
    case '_':
      return 'string';
    default:
      return 'text';
  }
}
