import {
  POSSIBLY_UNSAFE,
  skipSequence,
  startSequence,
  type SequenceState,
  UNSAFE_IN_JSON,
} from '../../filtered-characters.ts';

/** Shared: each use sets where it begins. */
const interesting = new RegExp(POSSIBLY_UNSAFE, 'g');

/** The longest subdivision flag has six tag letters before its end tag (UTS 51, ED-14a). */
const FLAG_TAGS = 7;
const BLACK_FLAG = '\u{1F3F4}';

export type Sanitizer = ReturnType<typeof createSanitizer>;

/**
 * A stateful filter for one channel of text that came from a server or a file.
 *
 * Keeps TAB, LF and every visible character; replaces CR, CRLF, U+2028 and U+2029 by LF; removes whole escape
 * sequences, other control characters, and invisible characters that reorder or hide text. The result does not depend
 * on how the text is split over calls.
 */
export function createSanitizer() {
  const state = { sequence: 'text' as SequenceState, afterReturn: false, flagTags: 0, removed: 0 };
  let waiting = '';

  /** The part of the text that is safe to show. An unfinished sequence or character is held until the next call. */
  function write(text: string): string {
    let input = waiting + text;
    waiting = '';
    const last = input.charCodeAt(input.length - 1);
    if (last >= 0xd800 && last <= 0xdbff) {
      waiting = input.slice(-1);
      input = input.slice(0, -1);
    }
    return filter(input, state);
  }

  /** The rest; the state is new afterwards. */
  function end(): string {
    const rest = waiting === '' ? '' : filter(waiting, state);
    waiting = '';
    Object.assign(state, { sequence: 'text', afterReturn: false, flagTags: 0 });
    return rest;
  }

  return {
    write,
    end,
    /** Number of escape sequences and characters removed so far; line ends changed to `\n` are not counted. */
    get removed(): number {
      return state.removed;
    },
  };
}

interface FilterState {
  sequence: SequenceState;
  /** The last character was CR: an LF now belongs to it. */
  afterReturn: boolean;
  /** Number of tag characters that may still follow a black flag. */
  flagTags: number;
  removed: number;
}

function filter(text: string, state: FilterState): string {
  let output = '';
  let index = 0;
  while (index < text.length) {
    if (state.sequence !== 'text') {
      index = skipSequence(text, index, state);
      continue;
    }
    if (state.afterReturn) {
      state.afterReturn = false;
      if (text[index] === '\n') index += 1;
    }
    interesting.lastIndex = index;
    const found = interesting.exec(text);
    const until = found?.index ?? text.length;
    if (until > index) state.flagTags = 0;
    output += text.slice(index, until);
    if (!found) break;
    output += replacement(found[0], state);
    index = until + found[0].length;
  }
  return output;
}

function replacement(character: string, state: FilterState): string {
  if (character === BLACK_FLAG) {
    state.flagTags = FLAG_TAGS;
    return character;
  }
  if (state.flagTags > 0 && /^\udb40[\udc20-\udc7f]$/.test(character)) {
    state.flagTags = character === '\u{E007F}' ? 0 : state.flagTags - 1;
    return character;
  }
  state.flagTags = 0;
  if (character === '\r') {
    state.afterReturn = true;
    return '\n';
  }
  if (character === '\u2028' || character === '\u2029') return '\n';
  state.removed += 1;
  if (character.length === 1 && character >= '\ud800' && character <= '\udfff') return '\ufffd';
  state.sequence = startSequence(character);
  return '';
}

/** The safe part of a whole text; see {@link createSanitizer}. */
export function sanitize(text: string): string {
  const sanitizer = createSanitizer();
  return sanitizer.write(text) + sanitizer.end();
}

/** The same on one line, for table cells, ids and messages: tabs and line ends become spaces. */
export function sanitizeLine(text: string): string {
  return sanitize(text).replace(/[\t\n]/g, ' ');
}

const unsafe = new RegExp(UNSAFE_IN_JSON, 'g');

/** What the sanitizer would remove becomes `\uXXXX`. Takes the result of `JSON.stringify`; the value is the same. */
export function escapeJson(json: string): string {
  return json.replace(unsafe, (found) => {
    let escaped = '';
    for (let index = 0; index < found.length; index += 1) {
      escaped += String.raw`\u` + found.charCodeAt(index).toString(16).padStart(4, '0');
    }
    return escaped;
  });
}
