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
  const state = { sequence: 'text' as SequenceState };
  /** The last character was CR: an LF now belongs to it. */
  let isAfterReturn = false;
  /** Number of tag characters that may still follow a black flag. */
  let flagTags = 0;
  let removed = 0;
  let waiting = '';

  function replacement(character: string): string {
    if (character === BLACK_FLAG) {
      flagTags = FLAG_TAGS;
      return character;
    }
    if (flagTags > 0 && /^\udb40[\udc20-\udc7f]$/.test(character)) {
      flagTags = character === '\u{E007F}' ? 0 : flagTags - 1;
      return character;
    }
    flagTags = 0;
    isAfterReturn = character === '\r';
    if (/^[\r\u2028\u2029]$/.test(character)) return '\n';
    removed += 1;
    if (/^[\ud800-\udfff]$/.test(character)) return '\ufffd';
    state.sequence = startSequence(character);
    return '';
  }

  function filter(text: string): string {
    let output = '';
    let index = 0;
    while (index < text.length) {
      if (state.sequence !== 'text') {
        index = skipSequence(text, index, state);
        continue;
      }
      if (isAfterReturn && text[index] === '\n') index += 1;
      isAfterReturn = false;
      interesting.lastIndex = index;
      const found = interesting.exec(text);
      const until = found?.index ?? text.length;
      if (until > index) flagTags = 0;
      output += text.slice(index, until);
      if (!found) break;
      output += replacement(found[0]);
      index = until + found[0].length;
    }
    return output;
  }

  /** The part of the text that is safe to show. An unfinished sequence or character is held until the next call. */
  function write(text: string): string {
    const input = waiting + text;
    waiting = /[\ud800-\udbff]$/.exec(input.slice(-1))?.[0] ?? '';
    return filter(input.slice(0, input.length - waiting.length));
  }

  /** The rest; the state is new afterwards. */
  function end(): string {
    const rest = filter(waiting);
    waiting = '';
    state.sequence = 'text';
    isAfterReturn = false;
    flagTags = 0;
    return rest;
  }

  return {
    write,
    end,
    /** Number of escape sequences and characters removed so far; line ends changed to `\n` are not counted. */
    get removed(): number {
      return removed;
    },
  };
}

/** The safe part of a whole text; see {@link createSanitizer}. */
export function sanitize(text: string): string {
  const sanitizer = createSanitizer();
  return sanitizer.write(text) + sanitizer.end();
}

/** The same on one line, for table cells, ids and messages: tabs and line ends become spaces. */
export const sanitizeLine = (text: string): string => sanitize(text).replace(/[\t\n]/g, ' ');

const unsafe = new RegExp(UNSAFE_IN_JSON, 'g');

/** What the sanitizer would remove becomes `\uXXXX`. Takes the result of `JSON.stringify`; the value is the same. */
export function escapeJson(json: string): string {
  const escaped = (unit: string) =>
    String.raw`\u` + unit.charCodeAt(0).toString(16).padStart(4, '0');
  return json.replace(unsafe, (found) => found.split('').map(escaped).join(''));
}
