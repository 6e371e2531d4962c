import { describe, expect, test } from 'vitest';
import type { KeyEvent } from '../../../../src/repl/composer/keys/key-event.ts';
import { formatEvents, openKeys, readKeys } from './open-keys.ts';
import { processorTime } from '../../../support/processor-time.ts';
import { fc } from '../../../support/properties.ts';

/** In tables, `␛` is Esc, and a paste is between `«` and `»`. */
const bytesOf = (input: string) =>
  input.replaceAll('␛', '\u001B').replaceAll('«', '\u001B[200~').replaceAll('»', '\u001B[201~');

/** What is read, its bytes, and the events. */
const readings: readonly (readonly [what: string, input: string, events: string])[] = [
  ['text', 'héllo 日本 👨‍👩‍👧', '"héllo 日本 👨‍👩‍👧"'],
  ['text and Enter in one read', 'hello\r', '"hello" <enter>'],
  ['Backspaces in one read', '\u007F\u007F\u007F', '<backspace> <backspace> <backspace>'],
  ['Ctrl+H', '\b', '<ctrl+h>'],
  ['Ctrl+J', '\n', '<ctrl+j>'],
  ['Enter on Windows', 'a\r\n', '"a" <enter>'],
  ['Tab', '\t', '<tab>'],
  ['Ctrl+Space', '\0', '<ctrl+space>'],
  ['Ctrl and letters', '\u0001\u0003\u001A', '<ctrl+a> <ctrl+c> <ctrl+z>'],
  ['Ctrl+_', '\u001F', '<ctrl+_>'],
  ['nothing from C1 controls', 'a\u009Bb', '"a" "b"'],
  ['arrows', '␛[A␛[B␛[C␛[D', '<up> <down> <right> <left>'],
  ['arrows in application mode', '␛OA␛OB␛OC␛OD', '<up> <down> <right> <left>'],
  ['Home in every variant', '␛[H␛OH␛[1~␛[7~', '<home> <home> <home> <home>'],
  ['End in every variant', '␛[F␛OF␛[4~␛[8~', '<end> <end> <end> <end>'],
  [
    'Page Up, Page Down, Insert and Delete',
    '␛[5~␛[6~␛[2~␛[3~',
    '<pageup> <pagedown> <insert> <delete>',
  ],
  ['Ctrl and arrows', '␛[1;5C␛[1;5D', '<ctrl+right> <ctrl+left>'],
  ['Alt and arrows', '␛[1;3A␛␛[A', '<alt+up> <alt+up>'],
  ['all modifiers', '␛[1;8H␛[3;5~', '<ctrl+alt+shift+home> <ctrl+delete>'],
  ["rxvt's modifiers", '␛[7^␛[8$␛[a␛Od', '<ctrl+home> <shift+end> <shift+up> <ctrl+left>'],
  ['Shift+Tab', '␛[Z', '<shift+tab>'],
  ['function keys', '␛OP␛OR␛[15~␛[24~␛[[A', '<f1> <f3> <f5> <f12> <f1>'],
  ['the keypad in application mode', '␛OM␛Oq␛O2M', '<enter> "1" <shift+enter>'],
  ['Alt and letters', '␛b␛F␛é', '<alt+b> <alt+shift+f> <alt+é>'],
  ['Alt+Enter', '␛\r', '<alt+enter>'],
  ['Alt+Enter on Windows', '␛\r\n', '<alt+enter>'],
  ['Alt+Backspace', '␛\u007F', '<alt+backspace>'],
  ['Alt and characters that start replies', '␛]a␛Pb', '<alt+]> "a" <alt+shift+p> "b"'],
  ['Esc and text', '␛␛x', '<escape> <alt+x>'],
  ['a key that cannot be part of a sequence', '␛[1\u0003x', '<ctrl+c> "x"'],
  ['a key after a reply that was cut off', '␛]11;rgb:\rx', '"x"'],
  ['Shift+Enter in the kitty protocol', '␛[13;2u', '<shift+enter>'],
  ['Esc in the kitty protocol', '␛[27u', '<escape>'],
  ['Ctrl+C in the kitty protocol', '␛[99;5u', '<ctrl+c>'],
  ['Ctrl and [ in the kitty protocol', '␛[91;5u', '<escape>'],
  ['a press but not its release in the kitty protocol', '␛[13;1:1u␛[13;1:3u', '<enter>'],
  ['a repeat in the kitty protocol', '␛[1;1:2A␛[1;1:3A', '<up>'],
  ['Ctrl+C with Caps Lock and Num Lock in the kitty protocol', '␛[99;197u', '<ctrl+c>'],
  ['Ctrl+C on a Cyrillic keyboard in the kitty protocol', '␛[1089::99;5u', '<ctrl+c>'],
  ['text with Shift in the kitty protocol', '␛[97:65;2u␛[98;2u', '"A" "B"'],
  ['associated text in the kitty protocol', '␛[97;;229u', '"å"'],
  ['the keypad in the kitty protocol', '␛[57400u␛[57414u␛[57419;5u', '"1" <enter> <ctrl+up>'],
  ['nothing from modifier keys alone in the kitty protocol', '␛[57441;2u␛[57358u', ''],
  ['nothing from Super shortcuts in the kitty protocol', '␛[99;9u', ''],
  ['nothing from impossible code points in the kitty protocol', '␛[99999999u␛[55296u', ''],
  ['Shift+Enter in modifyOtherKeys', '␛[27;2;13~', '<shift+enter>'],
  ['Alt+Enter in modifyOtherKeys', '␛[27;3;13~', '<alt+enter>'],
  ['Ctrl+Shift+A in modifyOtherKeys', '␛[27;6;65~', '<ctrl+shift+a>'],
  ['Shift+A in modifyOtherKeys', '␛[27;2;65~', '"A"'],
  ['no report: focus', 'a␛[I␛[Ob', '"a" "b"'],
  ['no report: mouse (SGR)', 'a␛[<0;10;20M␛[<0;10;20mb', '"a" "b"'],
  ['no report: mouse (X10)', 'a␛[M !!b', '"a" "b"'],
  ['no report: cursor position', 'a␛[12;40Rb', '"a" "b"'],
  ['no report: device attributes', 'a␛[?62;22c␛[>41;354;0cb', '"a" "b"'],
  ['no report: modes', 'a␛[?2026;2$y␛[?1ub', '"a" "b"'],
  ['no report: background colour', 'a␛]11;rgb:ffff/ffff/ffff␛\\␛]11;rgb:0/0/0\u0007b', '"a" "b"'],
  ['no report: version', 'a␛P>|kitty(0.40)␛\\b', '"a" "b"'],
  ['no report: a stray end of a paste', 'a␛[201~b', '"a" "b"'],
  ['no report: an unknown sequence', 'a␛[5;5;5;5zb', '"a" "b"'],
  ['a paste: several lines', '«a\rb\r\nc\nd»', 'paste "a\\nb\\nc\\nd"'],
  ['a paste: nothing', '«»', 'paste ""'],
  ['a paste: tabs', '«\tx»', 'paste "\\tx"'],
  ['a paste: escape sequences unchanged', '«␛[31mred\u0003»', 'paste "\\u001b[31mred\\u0003"'],
  ['a paste: line ends in the kitty protocol', '«a␛[13ub␛[106;5uc»', 'paste "a\\nb\\nc"'],
  [
    'a paste: key presses and releases in the kitty protocol',
    '«a␛[13;1:1u␛[13;1:3ub»',
    'paste "a\\nb"',
  ],
  ['a paste: line ends in modifyOtherKeys', '«a␛[27;5;106~b␛[27;5;109~c»', 'paste "a\\nb\\nc"'],
  ['a paste: tabs in the kitty protocol', '«a␛[9ub␛[105;5uc»', 'paste "a\\tb\\tc"'],
  ['a paste: text around focus reports', '«one␛[O two␛[I»', 'paste "one two"'],
  ['a paste: text around mouse reports', '«one␛[<35;10;20M␛[<0;1;1m two»', 'paste "one two"'],
  ['a paste between keys', 'a«b\r»\r', '"a" paste "b\\n" <enter>'],
];

test.each(readings)('reads %s', (_, input, events) => {
  expect(formatEvents(readKeys(bytesOf(input)))).toBe(events);
});

/** Joins consecutive texts, and takes pastes without brackets apart: both depend on where reads end. */
function joinTexts(events: readonly KeyEvent[]): KeyEvent[] {
  const joined: KeyEvent[] = [];
  const keysOf = (event: KeyEvent) => (event.type === 'paste' ? event.keys : undefined) ?? [event];
  for (const event of events.flatMap(keysOf)) {
    const last = joined.at(-1);
    if (event.type === 'text' && last?.type === 'text') {
      joined.splice(-1, 1, { type: 'text', text: last.text + event.text });
    } else {
      joined.push(event);
    }
  }
  return joined;
}

test('reads UTF-8 split inside characters and keeps a byte order mark', () => {
  const { feed } = openKeys();
  const bytes = Buffer.from('\uFEFFé👍');
  const events = Array.from(bytes, (byte) => feed(Uint8Array.of(byte))).flat();
  expect(formatEvents(joinTexts(events))).toBe('"\uFEFFé👍"');
});

test('reads keys again after a very long reply without an end', () => {
  const { feed } = openKeys();
  expect(feed(`\u001B]11;${'x'.repeat(5000)}`)).toEqual([]);
  expect(formatEvents(feed('y'))).toBe('"y"');
});

describe('incomplete input', () => {
  test.each([
    ['Esc, which a pause tells from a sequence', '␛', 50, '<escape>', '', ''],
    ['Esc pressed twice', '␛␛', 50, '<escape> <escape>', '', ''],
    ['a sequence whose rest arrives late', '␛[1;', 50, '', '5C', '<ctrl+right>'],
    ['Ctrl+J after a pause', '\r', 50, '', '\n', '<ctrl+j>'],
    [
      'a paste without its end, then keys',
      '«one\rtwo␛[20',
      2000,
      'paste "one\\ntwo"',
      '\u0003',
      '<ctrl+c>',
    ],
  ])('is %s', async (_, input, milliseconds, flushed, rest, events) => {
    const { feed, pause } = openKeys();
    feed(bytesOf(input));
    expect(await pause(milliseconds - 1)).toEqual([]);
    expect(formatEvents(await pause(1))).toBe(flushed);
    expect(formatEvents(feed(rest))).toBe(events);
  });
});

describe('bytes split anywhere', () => {
  const piece = fc.constantFrom(...readings.map(([, bytes]) => bytesOf(bytes)));
  const input = fc.array(piece, { maxLength: 8 }).map((some) => Buffer.from(some.join('')));

  test('X26: have the same events', async () => {
    await fc.assert(
      fc.asyncProperty(input, fc.array(fc.nat(60), { maxLength: 10 }), async (bytes, cuts) => {
        const { feed, pause } = openKeys();
        const edges = [0, ...cuts.filter((cut) => cut < bytes.length), bytes.length];
        const events = edges
          .sort((one, other) => one - other)
          .flatMap((edge, index) => feed(bytes.subarray(edge, edges[index + 1] ?? edge)));
        expect(joinTexts(events)).toEqual(joinTexts(readKeys(bytes)));
        expect(await pause(2000)).toEqual([]);
      }),
    );
  });

  test('after any bytes, keys are read again at the end of a sequence', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 40 }), async (bytes) => {
        const { feed, pause } = openKeys();
        feed(bytes);
        await pause(2000);
        feed('\u001B[201~\u0007\u001B\\');
        await pause(2000);
        expect(formatEvents(feed('ok'))).toBe('"ok"');
      }),
    );
  });
});

test('P22 reads a megabyte with escapes quickly and completely', async () => {
  const text = '\u001B[1mbold\u001B[0m \u0007\u0003\u001B'.repeat(50_000);
  let events: readonly KeyEvent[] = [];
  const taken = await processorTime(() => {
    events = readKeys(bytesOf(`«${text}»`));
  });
  expect(taken).toBeLessThan(1000);
  expect(events).toEqual([{ type: 'paste', text }]);
});

test.each([
  ['lines and a tab', 'one\r\ttwo\rthree\r', 'paste "one\\n\\ttwo\\nthree\\n"'],
  ['not a line and Enter', 'one\r', '"one" <enter>'],
  ['not Enter alone', '\r\r', '<enter> <enter>'],
  ['not text with other keys', 'a\r␛[Ab', '"a" <enter> <up> "b"'],
  ['not text', 'abc', '"abc"'],
])('a paste without brackets is %s', (_, input, events) => {
  expect(formatEvents(readKeys(bytesOf(input)))).toBe(events);
});
