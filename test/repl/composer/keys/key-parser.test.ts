import { describe, expect, test } from 'vitest';
import { joinPasteBurst, type KeyEvent } from '../../../../src/repl/composer/keys/key-event.ts';
import { KeyParser } from '../../../../src/repl/composer/keys/key-parser.ts';
import { formatEvents, inPaste, joinTexts, parse } from './format-events.ts';
import { processorTime } from '../../../support/processor-time.ts';
import { fc } from '../../../support/properties.ts';

/** What is read, its bytes, and the events. */
const readings: readonly (readonly [what: string, input: string, events: string])[] = [
  ['text', 'héllo 日本 👨‍👩‍👧', '"héllo 日本 👨‍👩‍👧"'],
  ['text and Enter in one read', 'hello\r', '"hello" <enter>'],
  ['Backspaces in one read', '\u007F\u007F\u007F', '<backspace> <backspace> <backspace>'],
  ['Ctrl+H', '\b', '<ctrl+h>'],
  ['Ctrl+J', '\n', '<ctrl+j>'],
  ['Enter on Windows', 'a\r\nb', '"a" <enter> "b"'],
  ['Tab', '\t', '<tab>'],
  ['Ctrl+Space', '\0', '<ctrl+space>'],
  ['Ctrl and letters', '\u0001\u0003\u001A', '<ctrl+a> <ctrl+c> <ctrl+z>'],
  ['Ctrl+_', '\u001F', '<ctrl+_>'],
  ['nothing from C1 controls', 'a\u009Bb', '"a" "b"'],
  ['arrows', '\u001B[A\u001B[B\u001B[C\u001B[D', '<up> <down> <right> <left>'],
  ['arrows in application mode', '\u001BOA\u001BOB\u001BOC\u001BOD', '<up> <down> <right> <left>'],
  ['Home in every variant', '\u001B[H\u001BOH\u001B[1~\u001B[7~', '<home> <home> <home> <home>'],
  ['End in every variant', '\u001B[F\u001BOF\u001B[4~\u001B[8~', '<end> <end> <end> <end>'],
  [
    'Page Up, Page Down, Insert and Delete',
    '\u001B[5~\u001B[6~\u001B[2~\u001B[3~',
    '<pageup> <pagedown> <insert> <delete>',
  ],
  ['Ctrl and arrows', '\u001B[1;5C\u001B[1;5D', '<ctrl+right> <ctrl+left>'],
  ['Alt and arrows', '\u001B[1;3A\u001B\u001B[A', '<alt+up> <alt+up>'],
  ['all modifiers', '\u001B[1;8H\u001B[3;5~', '<ctrl+alt+shift+home> <ctrl+delete>'],
  [
    "rxvt's modifiers",
    '\u001B[7^\u001B[8$\u001B[a\u001BOd',
    '<ctrl+home> <shift+end> <shift+up> <ctrl+left>',
  ],
  ['Shift+Tab', '\u001B[Z', '<shift+tab>'],
  ['function keys', '\u001BOP\u001BOR\u001B[15~\u001B[24~\u001B[[A', '<f1> <f3> <f5> <f12> <f1>'],
  ['the keypad in application mode', '\u001BOM\u001BOq', '<enter> "1"'],
  ['Alt and letters', '\u001Bb\u001BF\u001Bé', '<alt+b> <alt+shift+f> <alt+é>'],
  ['Alt+Enter', '\u001B\r', '<alt+enter>'],
  ['Alt+Enter on Windows', '\u001B\r\n', '<alt+enter>'],
  ['Alt+Backspace', '\u001B\u007F', '<alt+backspace>'],
  ['Alt and characters that start replies', '\u001B]a\u001BPb', '<alt+]> "a" <alt+shift+p> "b"'],
  ['Esc and text', '\u001B\u001Bx', '<escape> <alt+x>'],
  ['a key that cannot be part of a sequence', '\u001B[1\u0003x', '<ctrl+c> "x"'],
  ['a key after a reply that was cut off', '\u001B]11;rgb:\rx', '"x"'],
  ['Shift+Enter in the kitty protocol', '\u001B[13;2u', '<shift+enter>'],
  ['Esc in the kitty protocol', '\u001B[27u', '<escape>'],
  ['Ctrl+C in the kitty protocol', '\u001B[99;5u', '<ctrl+c>'],
  ['Ctrl and [ in the kitty protocol', '\u001B[91;5u', '<escape>'],
  ['a press but not its release in the kitty protocol', '\u001B[13;1:1u\u001B[13;1:3u', '<enter>'],
  ['a repeat in the kitty protocol', '\u001B[1;1:2A\u001B[1;1:3A', '<up>'],
  ['Ctrl+C with Caps Lock and Num Lock in the kitty protocol', '\u001B[99;197u', '<ctrl+c>'],
  ['Ctrl+C on a Cyrillic keyboard in the kitty protocol', '\u001B[1089::99;5u', '<ctrl+c>'],
  ['text with Shift in the kitty protocol', '\u001B[97:65;2u\u001B[98;2u', '"A" "B"'],
  ['associated text in the kitty protocol', '\u001B[97;;229u', '"å"'],
  [
    'the keypad in the kitty protocol',
    '\u001B[57400u\u001B[57414u\u001B[57419;5u',
    '"1" <enter> <ctrl+up>',
  ],
  ['nothing from modifier keys alone in the kitty protocol', '\u001B[57441;2u\u001B[57358u', ''],
  ['nothing from Super shortcuts in the kitty protocol', '\u001B[99;9u', ''],
  [
    'nothing from impossible code points in the kitty protocol',
    '\u001B[99999999u\u001B[55296u',
    '',
  ],
  ['Shift+Enter in modifyOtherKeys', '\u001B[27;2;13~', '<shift+enter>'],
  ['Alt+Enter in modifyOtherKeys', '\u001B[27;3;13~', '<alt+enter>'],
  ['Ctrl+Shift+A in modifyOtherKeys', '\u001B[27;6;65~', '<ctrl+shift+a>'],
  ['Shift+A in modifyOtherKeys', '\u001B[27;2;65~', '"A"'],
  ['no report: focus', 'a\u001B[I\u001B[Ob', '"a" "b"'],
  ['no report: mouse (SGR)', 'a\u001B[<0;10;20M\u001B[<0;10;20mb', '"a" "b"'],
  ['no report: mouse (X10)', 'a\u001B[M !!b', '"a" "b"'],
  ['no report: cursor position', 'a\u001B[12;40Rb', '"a" "b"'],
  ['no report: device attributes', 'a\u001B[?62;22c\u001B[>41;354;0cb', '"a" "b"'],
  ['no report: modes', 'a\u001B[?2026;2$y\u001B[?1ub', '"a" "b"'],
  [
    'no report: background colour',
    'a\u001B]11;rgb:ffff/ffff/ffff\u001B\\\u001B]11;rgb:0/0/0\u0007b',
    '"a" "b"',
  ],
  ['no report: version', 'a\u001BP>|kitty(0.40)\u001B\\b', '"a" "b"'],
  ['no report: a stray end of a paste', 'a\u001B[201~b', '"a" "b"'],
  ['no report: an unknown sequence', 'a\u001B[5;5;5;5zb', '"a" "b"'],
  ['a paste: several lines', inPaste('a\rb\r\nc\nd'), 'paste "a\\nb\\nc\\nd"'],
  ['a paste: nothing', inPaste(''), 'paste ""'],
  ['a paste: tabs', inPaste('\tx'), 'paste "\\tx"'],
  [
    'a paste: escape sequences unchanged',
    inPaste('\u001B[31mred\u0003'),
    'paste "\\u001b[31mred\\u0003"',
  ],
  [
    'a paste: line ends in the kitty protocol',
    inPaste('a\u001B[13ub\u001B[106;5uc'),
    'paste "a\\nb\\nc"',
  ],
  [
    'a paste: key presses and releases in the kitty protocol',
    inPaste('a\u001B[13;1:1u\u001B[13;1:3ub'),
    'paste "a\\nb"',
  ],
  [
    'a paste: line ends in modifyOtherKeys',
    inPaste('a\u001B[27;5;106~b\u001B[27;5;109~c'),
    'paste "a\\nb\\nc"',
  ],
  [
    'a paste: tabs in the kitty protocol',
    inPaste('a\u001B[9ub\u001B[105;5uc'),
    'paste "a\\tb\\tc"',
  ],
  ['a paste: text around focus reports', inPaste('one\u001B[O two\u001B[I'), 'paste "one two"'],
  [
    'a paste: text around mouse reports',
    inPaste('one\u001B[<35;10;20M\u001B[<0;1;1m two'),
    'paste "one two"',
  ],
  ['a paste between keys', `a${inPaste('b\r')}\r`, '"a" paste "b\\n" <enter>'],
];

test.each(readings)('reads %s', (_, input, events) => {
  expect(parse(input)).toBe(events);
});

test('reads UTF-8 split inside characters and keeps a byte order mark', () => {
  const parser = new KeyParser();
  const bytes = Buffer.from('\uFEFFé👍');
  const events = Array.from(bytes, (byte) => parser.feed(Uint8Array.of(byte))).flat();
  expect(formatEvents(joinTexts(events))).toBe('"\uFEFFé👍"');
});

test('reads keys again after a very long reply without an end', () => {
  const parser = new KeyParser();
  expect(parser.feed(`\u001B]11;${'x'.repeat(5000)}`)).toEqual([]);
  expect(formatEvents(parser.feed('y'))).toBe('"y"');
});

describe('incomplete input', () => {
  test.each([
    ['Esc, which a timeout tells from a sequence', '\u001B', 'sequence', '<escape>', '', ''],
    ['Esc pressed twice', '\u001B\u001B', 'sequence', '<escape> <escape>', '', ''],
    ['a sequence whose rest arrives late', '\u001B[1;', 'sequence', '', '5C', '<ctrl+right>'],
    ['Ctrl+J after a pause', '\r', 'sequence', '', '\n', '<ctrl+j>'],
    [
      'a paste without its end, then keys',
      '\u001B[200~one\rtwo\u001B[20',
      'paste',
      'paste "one\\ntwo"',
      '\u0003',
      '<ctrl+c>',
    ],
  ])('is %s', (_, input, pending, flushed, rest, events) => {
    const parser = new KeyParser();
    parser.feed(input);
    expect(parser.pending()).toBe(pending);
    expect(formatEvents(parser.flush())).toBe(flushed);
    expect(parser.pending()).toBe('nothing');
    expect(formatEvents(parser.feed(rest))).toBe(events);
  });
});

test.each([
  ['a\u001B[12;', '5Rb'],
  ['a\u001B[>0;27', '6;0cb'],
])('X26: a reply of the terminal is not a key, even when split: %j', (start, end) => {
  const parser = new KeyParser();
  expect(formatEvents([...parser.feed(start), ...parser.feed(end)])).toBe('"a" "b"');
});

describe('bytes split anywhere', () => {
  const piece = fc.constantFrom(...readings.map(([, bytes]) => bytes));
  const input = fc.array(piece, { maxLength: 8 }).map((some) => Buffer.from(some.join('')));

  test('have the same events', () => {
    fc.assert(
      fc.property(input, fc.array(fc.nat(60), { maxLength: 10 }), (bytes, cuts) => {
        const parser = new KeyParser();
        const edges = [0, ...cuts.filter((cut) => cut < bytes.length), bytes.length];
        const events = edges
          .sort((one, other) => one - other)
          .flatMap((edge, index) => parser.feed(bytes.subarray(edge, edges[index + 1] ?? edge)));
        expect(joinTexts(events)).toEqual(joinTexts(new KeyParser().feed(bytes)));
        expect(parser.flush()).toEqual([]);
      }),
    );
  });

  test('after any bytes, keys are read again at the end of a sequence', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        const parser = new KeyParser();
        parser.feed(bytes);
        parser.flush();
        parser.feed('\u001B[201~\u0007\u001B\\');
        parser.flush();
        expect(formatEvents(parser.feed('ok'))).toBe('"ok"');
      }),
    );
  });
});

test('P22 reads a megabyte with escapes quickly and completely', async () => {
  const text = '\u001B[1mbold\u001B[0m \u0007\u0003\u001B'.repeat(50_000);
  let events: readonly KeyEvent[] = [];
  const taken = await processorTime(() => {
    events = new KeyParser().feed(Buffer.from(inPaste(text)));
  });
  expect(taken).toBeLessThan(1000);
  expect(events).toEqual([{ type: 'paste', text }]);
});

test.each([
  ['lines and a tab', 'one\r\ttwo\rthree\r', 'paste "one\\n\\ttwo\\nthree\\n"'],
  ['not a line and Enter', 'one\r', '"one" <enter>'],
  ['not Enter alone', '\r\r', '<enter> <enter>'],
  ['not text with other keys', 'a\r\u001B[Ab', '"a" <enter> <up> "b"'],
  ['not text', 'abc', '"abc"'],
])('a paste without brackets is %s', (_, input, events) => {
  expect(formatEvents(joinPasteBurst(new KeyParser().feed(input)))).toBe(events);
});
