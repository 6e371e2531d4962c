import { advanceSequence, type SequenceState } from './escape-sequence.ts';
import { INTERESTING } from '../../filtered-characters.ts';

/** A stateful filter for one channel of text that came from a server or a file. */
export interface Sanitizer {
  /** The part of the text that is safe to show; an unfinished sequence or character waits for the next call. */
  write(text: string): string;
  /** What was waiting, and a fresh state. */
  end(): string;
  /** Escape sequences and characters removed so far; line ends made `\n` are not counted. */
  readonly removed: number;
}

/** The longest subdivision flag has six tag letters before its end tag (UTS 51, ED-14a). */
const FLAG_TAGS = 7;
const BLACK_FLAG = '\u{1F3F4}';

/**
 * Keeps TAB, LF and every visible character; makes CR, CRLF, U+2028 and U+2029 LF; removes whole escape
 * sequences, other control characters, and the invisible characters that reorder or hide text. The result does
 * not depend on how the text is split over calls.
 */
export function createSanitizer(): Sanitizer {
  const interesting = new RegExp(INTERESTING, 'g');
  const state = { sequence: 'text' as SequenceState, afterReturn: false, flagTags: 0, removed: 0 };
  let waiting = '';

  function write(text: string): string {
    interesting.lastIndex = 0;
    const plain = state.sequence === 'text' && !state.afterReturn && state.flagTags === 0;
    if (plain && waiting === '' && !interesting.test(text)) return text;
    let input = waiting + text;
    waiting = '';
    const last = input.charCodeAt(input.length - 1);
    if (last >= 0xd800 && last <= 0xdbff) {
      waiting = input.slice(-1);
      input = input.slice(0, -1);
    }
    return filter(input, state, interesting);
  }

  function end(): string {
    const rest = waiting === '' ? '' : filter(waiting, state, interesting);
    waiting = '';
    Object.assign(state, { sequence: 'text', afterReturn: false, flagTags: 0 });
    return rest;
  }

  return {
    write,
    end,
    get removed() {
      return state.removed;
    },
  };
}

interface FilterState {
  sequence: SequenceState;
  /** The last character was CR, so that an LF now belongs to it. */
  afterReturn: boolean;
  /** How many tag characters may still follow the black flag just passed. */
  flagTags: number;
  removed: number;
}

function filter(text: string, state: FilterState, interesting: RegExp): string {
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

function skipSequence(text: string, start: number, state: FilterState): number {
  for (let index = start; index < text.length; index += 1) {
    state.sequence = advanceSequence(state.sequence, text.charCodeAt(index));
    if (state.sequence === 'text') return index + 1;
    if (state.sequence === 'reread') {
      state.sequence = 'text';
      return index;
    }
  }
  return text.length;
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

function startSequence(character: string): SequenceState {
  const state = advanceSequence('text', character.charCodeAt(0));
  return state === 'reread' ? 'text' : state;
}

/** A whole text made safe to show; see {@link createSanitizer}. */
export function sanitize(text: string): string {
  const sanitizer = createSanitizer();
  return sanitizer.write(text) + sanitizer.end();
}

/** The same on one line, for table cells, ids and messages: a tab or a line end becomes a space. */
export function sanitizeLine(text: string): string {
  return sanitize(text).replace(/[\t\n]/g, ' ');
}
