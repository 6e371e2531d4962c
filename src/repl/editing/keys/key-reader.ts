import type { TerminalReply } from '../../../terminal/device/traits.ts';
import { isLightColor } from '../../../terminal/device/terminal-colors.ts';
import { eventOfControl, shortcut } from './key-codes.ts';
import { keyPress, type KeyEvent } from './key-event.ts';
import { eventOfApplicationKey, eventOfSequence } from './key-sequence.ts';

/** One key or one run of text. Functions return undefined if it is incomplete. */
export interface Reading {
  /** Length in UTF-16 units. */
  readonly length: number;
  /** Absent for reports and unknown sequences, which are ignored. */
  readonly event?: KeyEvent | undefined;
  readonly opensPaste?: boolean;
  /** A reply to a query. */
  readonly reply?: TerminalReply;
}

const escape = '\u001B';
const textRun = /[^\u0000-\u001F\u007F-\u009F]+/y;
const sequence = /\u001B\[([0-?]*)([ -/]*)([@-~])/y;
const sequenceStart = /\u001B\[[0-?]*[ -/]*/y;
/** CPR; the same bytes are F3 with a modifier. */
const cursorReport = /\u001B\[\d+;\d+R/y;
const rxvtShifted = /\u001B\[(\d{1,2})\$/y;
const consoleFunctionKey = /\u001B\[\[([A-E])/y;
const applicationKey = /\u001BO([\d;]*)([@-~])/y;
/** OSC, DCS and APC replies of terminals; otherwise the same bytes are Alt and a character. */
const replyStart = /\u001B(?:\]\d+;|P[\d!+$>]|_G)/y;
const replyPrefix = /\u001B(?:\]\d*|P|_)$/y;
const replyEnd = /\u0007|\u001B\\|[\u0000-\u0006\u0008-\u001A]/g;
const maxReplyLength = 4096;
/** The background: red, green and blue with one to four digits each. */
const backgroundReply = /\u001B\]11;rgba?:([\da-f]{1,4})\/([\da-f]{1,4})\/([\da-f]{1,4})/iy;

function matchAt(pattern: RegExp, input: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at;
  return pattern.exec(input) ?? undefined;
}

function readText(input: string, at: number): Reading | undefined {
  const text = matchAt(textRun, input, at)?.[0] ?? '';
  const isCut = at + text.length === input.length && /[\ud800-\udbff]$/.test(text);
  const whole = isCut ? text.slice(0, -1) : text;
  return whole === '' ? undefined : { length: whole.length, event: { type: 'text', text: whole } };
}

function readMouseReport(input: string, at: number): Reading | undefined {
  const length = 6;
  return at + length <= input.length ? { length } : undefined;
}

function readSequence(input: string, at: number): Reading | undefined {
  if (input.startsWith('[M', at + 1)) return readMouseReport(input, at);
  const functionKey = matchAt(consoleFunctionKey, input, at);
  if (functionKey !== undefined) {
    const number = 'ABCDE'.indexOf(functionKey[1] ?? '') + 1;
    return { length: 4, event: keyPress(`f${number}`) };
  }
  if (input.startsWith('[[', at + 1) && at + 3 === input.length) return undefined;
  const report = matchAt(cursorReport, input, at);
  if (report !== undefined) return { length: report[0].length };
  const shifted = matchAt(rxvtShifted, input, at);
  if (shifted !== undefined) {
    return { length: shifted[0].length, event: eventOfSequence(shifted[1] ?? '', '$') };
  }
  const found = matchAt(sequence, input, at);
  if (found === undefined) {
    const length = matchAt(sequenceStart, input, at)?.[0].length ?? 1;
    // A character that cannot be part of a sequence ends it and is read separately.
    return at + length === input.length ? undefined : { length };
  }
  const [{ length }, parameters = '', intermediates = '', final = ''] = found;
  if (parameters === '200' && final === '~') return { length, opensPaste: true };
  if (length === 3 && (final === 'I' || final === 'O')) {
    return { length, reply: { type: 'focus', hasFocus: final === 'I' } };
  }
  return intermediates === '' ? { length, event: eventOfSequence(parameters, final) } : { length };
}

function readApplicationKey(input: string, at: number): Reading | undefined {
  const found = matchAt(applicationKey, input, at);
  if (found !== undefined) {
    const [{ length }, parameters = '', final = ''] = found;
    return { length, event: eventOfApplicationKey(parameters, final) };
  }
  const start = /\u001BO[\d;]*/y;
  const length = matchAt(start, input, at)?.[0].length ?? 1;
  return at + length === input.length ? undefined : { length };
}

function shadeOf([, ...parts]: readonly string[]): TerminalReply {
  const [red = 0, green = 0, blue = 0] = parts.map(
    (part) => Number.parseInt(part, 16) / (16 ** part.length - 1),
  );
  return { type: 'background', shade: isLightColor(red, green, blue) ? 'light' : 'dark' };
}

/** A reply of the terminal, ignored unless it is the background; 'none' if it is not one. */
function readReply(input: string, at: number): Reading | 'none' | undefined {
  const start = matchAt(replyStart, input, at);
  if (start === undefined) {
    const isPrefix = matchAt(replyPrefix, input, at) !== undefined;
    return isPrefix ? undefined : 'none';
  }
  const end = matchAt(replyEnd, input, at + start[0].length);
  if (end !== undefined) {
    const length = end.index + end[0].length - at;
    const background = matchAt(backgroundReply, input, at);
    return background === undefined ? { length } : { length, reply: shadeOf(background) };
  }
  return input.length - at > maxReplyLength ? { length: input.length - at } : undefined;
}

function readAlt(input: string, at: number): Reading | undefined {
  const code = input.codePointAt(at + 1) ?? 0;
  if (code >= 0xd800 && code <= 0xdbff) return undefined;
  if (code < 0x20 || code === 0x7f)
    return { length: 2, event: eventOfControl(code, { alt: true }) };
  const character = String.fromCodePoint(code);
  return { length: 1 + character.length, event: shortcut(character, { alt: true }) };
}

function readEscape(input: string, at: number): Reading | undefined {
  switch (input.charAt(at + 1)) {
    case '':
      return undefined;
    case '[':
      return readSequence(input, at);
    case 'O':
      return readApplicationKey(input, at);
    case escape:
      return readDoubleEscape(input, at);
    case ']':
    case 'P':
    case '_': {
      const reply = readReply(input, at);
      return reply === 'none' ? readAlt(input, at) : reply;
    }
    default:
      return readAlt(input, at);
  }
}

/** Esc pressed twice, or Alt with a key that sends a sequence. */
function readDoubleEscape(input: string, at: number): Reading | undefined {
  const third = input.charAt(at + 2);
  if (third === '') return undefined;
  if (third !== '[' && third !== 'O') return { length: 1, event: keyPress('escape') };
  const inner = readEscape(input, at + 1);
  if (inner === undefined) return undefined;
  const { event } = inner;
  const altered = event?.type === 'key' ? { ...event, alt: true } : event;
  return { ...inner, length: inner.length + 1, event: altered };
}

/** Reads the key or text at an index inside the input; undefined if more input is needed. */
export function readKey(input: string, at: number): Reading | undefined {
  const code = input.charCodeAt(at);
  if (code === 0x1b) return readEscape(input, at);
  if (code < 0x20 || code === 0x7f) return { length: 1, event: eventOfControl(code) };
  // C1 controls are not keys.
  if (code >= 0x80 && code <= 0x9f) return { length: 1 };
  return readText(input, at);
}
