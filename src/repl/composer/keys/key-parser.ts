import { type Clock, createDebounce } from '../../../clock.ts';
import { isLightColor, type TerminalReply } from '../../../terminal/device/terminal-kind.ts';
import { pairsIn } from '../../../terminal/text/pairs.ts';
import { normalizeText } from '../paste.ts';
import {
  joinPasteBurst,
  type KeyEvent,
  keyPress,
  type KeyPress,
  type Modifiers,
} from './key-event.ts';

// The keys of control sequences: xterm's and rxvt's keys, modifyOtherKeys, the kitty keyboard protocol.

/** Last characters of `CSI … letter` and `SS3 … letter`. */
const letters = 'A up B down C right D left F end H home P f1 Q f2 S f4';
const letterKeys = pairsIn(
  `${letters} Z shift+tab a shift+up b shift+down c shift+right d shift+left`,
);
/** F3 is only here, because `CSI R` is a cursor report; the characters are those of the keypad in application mode. */
const applicationKeys = pairsIn(
  `${letters} R f3 a ctrl+up b ctrl+down c ctrl+right d ctrl+left M enter ` +
    'j * k + l , m - n . o / p 0 q 1 r 2 s 3 t 4 u 5 v 6 w 7 x 8 y 9',
);

/** First numbers of `CSI number ~`. */
const numberKeys = pairsIn(
  '1 home 2 insert 3 delete 4 end 5 pageup 6 pagedown 7 home 8 end 11 f1 12 f2 13 f3 14 f4 15 f5 17 f6 18 f7 19 f8 ' +
    '20 f9 21 f10 23 f11 24 f12',
);

/** rxvt's last characters in place of `~`. */
const rxvtModifiers: Readonly<Record<string, Modifiers>> = {
  $: { shift: true },
  '^': { ctrl: true },
  '@': { ctrl: true, shift: true },
};

/** Keys of the kitty protocol and modifyOtherKeys without a character, by code point. */
const codeKeys = pairsIn(
  '8 backspace 9 tab 13 enter 27 escape 127 backspace 57414 enter 57417 left 57418 right 57419 up 57420 down ' +
    '57421 pageup 57422 pagedown 57423 home 57424 end 57425 insert 57426 delete',
);

/** The keypad's characters in the kitty protocol, from 57399. */
const keypadCharacters = '0123456789./*-+';
const firstKeypad = 57399;

/** The character of a code point; undefined for controls, and for the private ones of keys without a character. */
function characterOf(code: number | undefined): string | undefined {
  if (code === undefined || code > 0x10ffff) return undefined;
  const character = String.fromCodePoint(code);
  return /[\p{Control}\p{Surrogate}\p{Private_Use}]/u.test(character) ? undefined : character;
}

/** One field of a control sequence and its parts (`1;5:3A` has the fields `1` and `5:3`). */
type Field = readonly (number | undefined)[];

/**
 * Undefined for lock and modifier keys and others without bindings.
 * @param key code points of the key: unshifted, shifted, and of the same key on a US keyboard
 * @param text code points of the typed text, if reported by the terminal
 */
function eventOfCode(
  [code = 0, shifted, base]: Field,
  modifiers: Modifiers,
  text: Field = [],
): KeyEvent | undefined {
  const name = codeKeys.get(String(code));
  if (name !== undefined) return keyPress(name, modifiers);
  const character = keypadCharacters.charAt(code - firstKeypad) || characterOf(code);
  if (character === undefined) return undefined;
  if (modifiers.ctrl === true || modifiers.alt === true) {
    // Shortcuts use the US layout, so that they work with Cyrillic, Greek or Hebrew layouts.
    const latin = code > 0x7e ? characterOf(base) : undefined;
    return shortcut(latin ?? character, modifiers);
  }
  const reported = text.filter((part) => part !== undefined).map(characterOf);
  if (reported.length > 0 && !reported.includes(undefined)) {
    return { type: 'text', text: reported.join('') };
  }
  const upper = characterOf(shifted) ?? character.toUpperCase();
  return { type: 'text', text: modifiers.shift === true ? upper : character };
}

/** The key of a character with Ctrl or Alt. */
function shortcut(character: string, modifiers: Modifiers): KeyPress {
  const name = character === ' ' ? 'space' : character.toLowerCase();
  const isUpper = name !== character && character !== ' ';
  if (name === '[' && modifiers.ctrl === true && modifiers.alt !== true) return keyPress('escape');
  return keyPress(name, isUpper ? { ...modifiers, shift: true } : modifiers);
}

const isControl = (code: number) => code < 0x20 || code === 0x7f;

/** The key of a control character (C0 or DEL). */
function eventOfControl(code: number, modifiers: Modifiers = {}): KeyPress {
  const name = code === 8 ? undefined : codeKeys.get(String(code));
  if (name !== undefined) return keyPress(name, modifiers);
  const character = code === 0 ? ' ' : String.fromCharCode(code + 0x40).toLowerCase();
  return shortcut(character, { ...modifiers, ctrl: true });
}

const released = 3;
const superOrHyper = 8 | 16;
const altOrMeta = 2 | 32;

/**
 * The key of `CSI parameters final` or `SS3 modifiers final`. Undefined for releases, reports, desktop shortcuts (Super,
 * Hyper) and unknown sequences.
 */
function eventOfSequence(
  introducer: '[' | 'O',
  parameters: string,
  final: string,
): KeyEvent | undefined {
  if (/[^\d;:]/.test(parameters)) return undefined;
  const fields = parameters
    .split(';')
    .map((field) => field.split(':').map((part) => (part === '' ? undefined : Number(part))));
  const [key = [], second, third = []] = fields;
  // xterm's number, extended by the kitty protocol.
  const [number = 1, action] = (introducer === 'O' ? fields.at(-1) : second) ?? [];
  const bits = Math.max(0, number - 1);
  if (action === released || (bits & superOrHyper) !== 0) return undefined;
  const rxvt = rxvtModifiers[final];
  const held = { shift: (bits & 1) !== 0, alt: (bits & altOrMeta) !== 0, ctrl: (bits & 4) !== 0 };
  if (introducer === '[' && final === 'u') return eventOfCode(key, held, third);
  if (final === '~' && key[0] === 27) return eventOfCode(third, held);
  const byLetter = introducer === 'O' ? applicationKeys : letterKeys;
  const isNumbered = final === '~' || rxvt !== undefined;
  const chord = isNumbered ? numberKeys.get(String(key[0])) : byLetter.get(final);
  if (chord === undefined) return undefined;
  if (chord.length === 1) return { type: 'text', text: chord };
  const [name = '', modifier] = chord.split('+').toReversed();
  return keyPress(name, { ...(rxvt ?? held), ...(modifier !== undefined && { [modifier]: true }) });
}

// The parser splits the input into keys, text, pastes and replies.

/** What a part of the input means; a part without a meaning is a report or unknown, and is ignored. */
type Meaning = KeyEvent | TerminalReply | { readonly type: 'paste-start' } | undefined;

/** One key or one run of text, with its length in UTF-16 units; undefined if it is incomplete. */
type Token = { readonly length: number; readonly meaning?: Meaning } | undefined;

const ignored = () => undefined;

/** What follows Esc. The first pattern that matches decides. */
const sequences: readonly (readonly [RegExp, (...groups: readonly string[]) => Meaning])[] = [
  // A mouse report of X10.
  [/\[M[^]{3}/y, ignored],
  // The Linux console's F1 to F5.
  [/\[\[([A-E])/y, (letter = '') => keyPress(`f${'ABCDE'.indexOf(letter) + 1}`)],
  [/\[(\d{1,2})\$/y, (keys = '') => eventOfSequence('[', keys, '$')],
  [/\[200~/y, () => ({ type: 'paste-start' })],
  [/\[([IO])/y, (final) => ({ type: 'focus', hasFocus: final === 'I' })],
  // Reports have intermediate bytes, or end with `R`, as F3 with a modifier does: neither is a key.
  [
    /\[(?!M|\[$)([0-?]*[ -/]*)([@-~])/y,
    (keys = '', final = '') => eventOfSequence('[', keys, final),
  ],
  [/O([\d;]*)([@-~])/y, (keys = '', final = '') => eventOfSequence('O', keys, final)],
  // A character that cannot be part of a sequence ends it and is read separately.
  [/\[[0-?]*(?:[ -/]+(?=[^ -/@-~])|(?=[^ -~]))/y, ignored],
  [/O[\d;]*(?=[^\d;])/y, ignored],
  // The background: red, green and blue with one to four digits each.
  [
    /\]11;rgba?:([\da-f]{1,4})\/([\da-f]{1,4})\/([\da-f]{1,4})[^]*?(?:[\u0000-\u001A]|\u001B\\)/iy,
    (...parts) => {
      const shares = parts.map((part) => Number.parseInt(part, 16) / (16 ** part.length - 1));
      const [red = 0, green = 0, blue = 0] = shares;
      return { type: 'background', shade: isLightColor(red, green, blue) ? 'light' : 'dark' };
    },
  ],
  // OSC, DCS and APC replies; a very long one has lost its end.
  [/(?:\]\d+;|P[\d!+$>]|_G)(?:[^]*?(?:[\u0000-\u001A]|\u001B\\)|[^]{4096,})/y, ignored],
];

/** The start of a sequence. */
const cut =
  /(?:\[M[^]{0,2}|\[\[?|\[[0-?]*[ -/]*|O[\d;]*|\]\d*|(?:\]\d+;|P[\d!+$>]|_G)[^]*|[P_]|)$/y;

function matchAt(pattern: RegExp, input: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at;
  return pattern.exec(input) ?? undefined;
}

const alt = { alt: true };

function readEscape(input: string, at: number): Token {
  if (input.charAt(at + 1) === '\u001B') return readDoubleEscape(input, at);
  for (const [pattern, meaningOf] of sequences) {
    const found = matchAt(pattern, input, at + 1);
    if (found !== undefined) {
      return { length: found[0].length + 1, meaning: meaningOf(...found.slice(1)) };
    }
  }
  if (matchAt(cut, input, at + 1) !== undefined) return undefined;
  const code = input.codePointAt(at + 1) ?? 0;
  const character = String.fromCodePoint(code);
  const press = isControl(code) ? eventOfControl(code, alt) : shortcut(character, alt);
  return { length: 1 + character.length, meaning: press };
}

/** Esc pressed twice, or Alt with a key that sends a sequence. */
function readDoubleEscape(input: string, at: number): Token {
  const third = input.charAt(at + 2);
  if (third === '') return undefined;
  if (third !== '[' && third !== 'O') return { length: 1, meaning: keyPress('escape') };
  const inner = readEscape(input, at + 1);
  if (inner === undefined) return undefined;
  const { meaning } = inner;
  const altered = meaning?.type === 'key' ? { ...meaning, ...alt } : meaning;
  return { length: inner.length + 1, meaning: altered };
}

const textRun = /[^\u0000-\u001F\u007F-\u009F]+/y;

/** Reads the key or text at an index inside the input. */
function readKey(input: string, at: number): Token {
  const code = input.charCodeAt(at);
  if (code === 0x1b) return readEscape(input, at);
  if (isControl(code)) return { length: 1, meaning: eventOfControl(code) };
  // C1 controls are not keys.
  if (code >= 0x80 && code <= 0x9f) return { length: 1 };
  const text = matchAt(textRun, input, at)?.[0] ?? '';
  return { length: text.length, meaning: { type: 'text', text } };
}

/** Milliseconds without input after which it is flushed: only this distinguishes Esc from an escape sequence. */
const flushDelay = { sequence: 50, paste: 2000 } as const;

const pasteEnd = '\u001B[201~';
const loneEscapes = /^\u001B{1,2}$/;

/** Focus and mouse reports that terminals send in the middle of a paste. */
const reports = /\u001B\[(?:[IO]|<\d+;\d+;\d+[Mm]|M[ -\u00FF]{3}|200~)/g;
const codedKeys = /\u001B\[([\d;:]+u|27;\d+;\d+~)/g;

/** The text of a bracketed paste: reports removed, encoded keys as characters, line ends as `\n`. */
function pastedText(raw: string): string {
  // With the kitty protocol or modifyOtherKeys, some terminals send a paste's line ends as encoded keys.
  const text = raw.replaceAll(reports, '').replaceAll(codedKeys, (_, sequence: string) => {
    const event = eventOfSequence('[', sequence.slice(0, -1), sequence.slice(-1));
    if (event?.type !== 'key') return event?.text ?? '';
    if (['enter', 'j', 'm'].includes(event.name)) return '\n';
    return ['tab', 'i'].includes(event.name) ? '\t' : '';
  });
  return normalizeText(text);
}

/**
 * Parses terminal input into key events; what is incomplete is read after a pause. `onReply` receives the terminal's
 * replies to queries.
 */
export function createKeyInput(
  clock: Clock,
  onKeys: (events: readonly KeyEvent[]) => void,
  onReply: (reply: TerminalReply) => void = () => undefined,
) {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let input = '';
  /** The input is a paste up to its end marker. */
  let isInPaste = false;
  /** The last key was a carriage return, so a following line feed belongs to it (Windows). */
  let isAfterReturn = false;
  const flush = createDebounce(clock, () => {
    isAfterReturn = false;
    const rest = input;
    if (isInPaste) {
      isInPaste = false;
      input = '';
      // Its end may be the start of the end marker.
      const text = pastedText(rest.replace(/\u001B(?:\[(?:2(?:0(?:1)?)?)?)?$/, ''));
      onKeys([{ type: 'paste', text }]);
    } else if (loneEscapes.test(rest)) {
      input = '';
      onKeys(Array.from(rest, () => keyPress('escape')));
    }
  });
  return {
    /** Takes UTF-8 bytes, split anywhere. */
    feed(bytes: Uint8Array): void {
      flush.cancel();
      input += decoder.decode(bytes, { stream: true });
      const events: KeyEvent[] = [];
      let at = 0;
      while (at < input.length) {
        if (isInPaste) {
          const end = input.indexOf(pasteEnd, at);
          if (end === -1) break;
          events.push({ type: 'paste', text: pastedText(input.slice(at, end)) });
          isInPaste = false;
          at = end + pasteEnd.length;
          continue;
        }
        const isSecondHalf = isAfterReturn && input.charAt(at) === '\n';
        const token: Token = isSecondHalf ? { length: 1 } : readKey(input, at);
        if (token === undefined) break;
        isAfterReturn = input.charAt(at + token.length - 1) === '\r';
        at += token.length;
        const { meaning } = token;
        if (meaning?.type === 'paste-start') isInPaste = true;
        else if (meaning?.type === 'focus' || meaning?.type === 'background') onReply(meaning);
        else if (meaning !== undefined) events.push(meaning);
      }
      input = input.slice(at);
      if (events.length > 0) onKeys(joinPasteBurst(events));
      if (isInPaste) flush.restart(flushDelay.paste);
      else if (input !== '' || isAfterReturn) flush.restart(flushDelay.sequence);
    },
    stop: flush.cancel,
  };
}
