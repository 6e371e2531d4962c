import { expect, test } from 'vitest';
import {
  createSanitizer,
  escapeJson,
  sanitize,
  sanitizeLine,
} from '../../../src/terminal/safety/sanitizer.ts';
import { processorTime } from '../../support/processor-time.ts';
import { expectForAll, fc } from '../../support/properties.ts';

type HostileCase = readonly [name: string, input: string, shown: string];

const introducers = {
  CSI: ['\u001B[', '\u009B'],
  OSC: ['\u001B]', '\u009D'],
  DCS: ['\u001BP', '\u0090'],
  SOS: ['\u001BX', '\u0098'],
  PM: ['\u001B^', '\u009E'],
  APC: ['\u001B_', '\u009F'],
} as const;

const stringEnds = { BEL: '\u0007', ST: '\u001B\\', C1: '\u009C', CAN: '\u0018', SUB: '\u001A' };

const csiBodies = {
  colour: '31m',
  'clear screen': '2J',
  'alternate screen': '?1049h',
  'mouse reports': '?1003h',
  'device attributes': 'c',
  'soft reset': '!p',
  'cursor shape': '4 q',
};

const stringBodies = {
  title: '2;owned',
  clipboard: '52;c;ZXZpbA==',
  'request setting': '$q"p',
  'non-ASCII': '0;日本 🎉',
};

function generated(): HostileCase[] {
  const cases: HostileCase[] = [];
  for (const [body, text] of Object.entries(csiBodies)) {
    for (const [form, start] of introducers.CSI.entries()) {
      cases.push([`CSI ${body}, form ${form}`, `a${start}${text}b`, 'ab']);
    }
  }
  for (const kind of ['OSC', 'DCS', 'SOS', 'PM', 'APC'] as const) {
    for (const [end, terminator] of Object.entries(stringEnds)) {
      for (const [form, start] of introducers[kind].entries()) {
        const input = `a${start}2;owned${terminator}b`;
        cases.push([`${kind} form ${form} ended by ${end}`, input, 'ab']);
      }
    }
    const input = `a${introducers[kind][0]}0;never ended\nnext line`;
    cases.push([`${kind} unterminated (T13)`, input, 'a\nnext line']);
  }
  for (const [body, text] of Object.entries(stringBodies)) {
    cases.push([`OSC ${body}`, `a\u001B]${text}\u0007b`, 'ab']);
    cases.push([`DCS ${body}`, `a\u001BP${text}\u001B\\b`, 'ab']);
  }
  return cases;
}

const written: readonly HostileCase[] = [
  ['reset', 'a\u001Bcb', 'ab'],
  ['escape before a letter beyond ASCII', 'a\u001B日b', 'a日b'],
  ['escape alone at the end', 'a\u001B', 'a'],
  ['escape then line end', 'a\u001B\nb', 'a\nb'],
  ['CSI unterminated', 'a\u001B[31\nb', 'a\nb'],
  ['CSI with an emoji in it', 'a\u001B[3🎉b', 'a🎉b'],
  ['CSI with BEL in it', 'a\u001B[3\u00071mb', 'ab'],
  ['CSI cut by CAN', 'a\u001B[3\u00181mb', 'a1mb'],
  ['OSC inside a CSI', 'a\u001B[3\u001B]0;x\u0007b', 'ab'],
  ['CSI inside an OSC', 'a\u001B]0;x\u001B[31mb', 'ab'],
  ['DCS wrapping an OSC (tmux)', 'a\u001BPtmux;\u001B\u001B]52;c;eA==\u0007\u001B\\b', 'ab'],
  ['C1 CSI inside an OSC', 'a\u001B]0;x\u009B31mb', 'ab'],
  ['sequence made of removed parts', 'a\u001B\u0000[31mb', 'ab'],
  ['escape rebuilt around a removed one', 'a\u001B\u001B[0m[31mb', 'a[31mb'],
  [
    'hyperlink over other text (T6)',
    '\u001B]8;;http://evil.example\u0007bank\u001B]8;;\u0007',
    'bank',
  ],
  ['clipboard unterminated (T5)', 'a\u001B]52;c;ZXZpbA==', 'a'],
  ['carriage return overwrites (T12)', 'rm -rf /\rls', 'rm -rf /\nls'],
  ['CRLF', 'a\r\nb\r\n', 'a\nb\n'],
  ['CR CR LF', 'a\r\r\nb', 'a\n\nb'],
  ['backspace overwrites (T12)', 'evil\b\b\b\bgood', 'evilgood'],
  ['bell', 'a\u0007b', 'ab'],
  ['NUL, ENQ, SO, SI', 'a\u0000\u0005\u000E\u000Fb', 'ab'],
  ['vertical tab and form feed', 'a\u000B\u000Cb', 'ab'],
  ['DEL', 'a\u007Fb', 'ab'],
  ['tab stays', 'a\tb', 'a\tb'],
  ['right-to-left override (T9)', 'user\u202Egnp.exe', 'usergnp.exe'],
  ['isolates (T9)', 'a\u2066b\u2067c\u2068d\u2069e', 'abcde'],
  ['embeddings and marks (T9)', 'a\u202A\u202B\u202C\u202D\u200E\u200F\u061Cb', 'ab'],
  ['zero-width (T10)', 'a\u200B\u2060\uFEFFb', 'ab'],
  ['annotation (T10)', 'a\uFFF9b\uFFFAc\uFFFBd', 'abcd'],
  ['tag characters (T10)', 'a\u{E0041}\u{E0042}\u{E007F}b', 'ab'],
  ['variation selectors supplement (T10)', 'a\u{E0100}\u{E01EF}b', 'ab'],
  ['tags after a flag has ended', '🏴\u{E0067}\u{E007F}\u{E0067}b', '🏴\u{E0067}\u{E007F}b'],
  ['tags after a flag and a letter', '🏴a\u{E0067}b', '🏴ab'],
  ['line and paragraph separators', 'a\u2028b\u2029c', 'a\nb\nc'],
  [
    'England flag (T11)',
    '🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}!',
    '🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}!',
  ],
  ['family emoji (T11)', '👨‍👩‍👧‍👦 ok', '👨‍👩‍👧‍👦 ok'],
  ['Persian with ZWNJ (T11)', 'می‌خواهم', 'می‌خواهم'],
  ['Arabic and Hebrew (T11)', 'العربية עברית', 'العربية עברית'],
  ['Devanagari conjuncts (T11)', 'क्‍ष', 'क्‍ष'],
  ['lone high surrogate', 'a\uD83Db', 'a\uFFFDb'],
  ['lone low surrogate', 'a\uDE00b', 'a\uFFFDb'],
  ['high surrogate at the end', 'a\uD83D', 'a\uFFFD'],
  ['pair split by an escape', 'a\uD83D\u001B[m\uDE00b', 'a\uFFFD\uFFFDb'],
  ['200 combining marks (T15)', `e${'\u0301'.repeat(200)}`, `e${'\u0301'.repeat(200)}`],
];

function inPieces(pieces: readonly string[]): string {
  const sanitizer = createSanitizer();
  return pieces.map((piece) => sanitizer.write(piece)).join('') + sanitizer.end();
}

/** Inputs that try to control the terminal or to mislead the reader, with the text that may be shown. */
const hostileCorpus = [...generated(), ...written];

test.each(hostileCorpus)(
  'T1 T2 T5 T7 T8 shows only the text, in any pieces: %s',
  (_, input, shown) => {
    expect(sanitize(input)).toBe(shown);
    for (let at = 0; at <= input.length; at += 1) {
      expect(inPieces([input.slice(0, at), input.slice(at)])).toBe(shown);
    }
    expect(inPieces(input.split(''))).toBe(shown);
  },
);

test('T2 does not depend on the split of any text', () => {
  const alphabet = '\u001B[]P\\;0m31\u0007\u009B\u009C\r\nab日\u202E\u{E0067}🏴😀\uD83D\u0018';
  const unit = fc.constantFrom(...alphabet.split(''));
  expectForAll(
    fc.array(fc.array(unit, { maxLength: 6 }).map((units) => units.join(''))),
    (pieces) => {
      expect(inPieces(pieces)).toBe(sanitize(pieces.join('')));
    },
  );
});

test('a second pass finds nothing to remove', () => {
  expectForAll(fc.string({ unit: 'binary' }), (text) => {
    const once = sanitize(text);
    expect(sanitize(once)).toBe(once);
  });
});

test('counts a split escape sequence once', () => {
  const sanitizer = createSanitizer();
  for (const unit of 'a\u001B]0;title\u001B\\b\u202Ec\r\nd') sanitizer.write(unit);
  expect(sanitizer.removed).toBe(2);
});

test('a sanitizer starts with a new state after its end', () => {
  const sanitizer = createSanitizer();
  sanitizer.write('a\u001B]0;title');
  sanitizer.end();
  expect(sanitizer.write('b')).toBe('b');
});

test.each([
  ['a line of a million characters', 'x'.repeat(1e6)],
  ['a million unfinished sequences', '\u001B['.repeat(5e5)],
  ['a million combining marks', `e${'\u0301'.repeat(1e6)}`],
  ['a million lone surrogates', '\uD800'.repeat(1e6)],
])('T15 does not hang on %s', async (_name, text) => {
  expect(await processorTime(() => sanitize(text))).toBeLessThan(3000);
});

test('T4 sanitizeLine returns one line', () => {
  expect(sanitizeLine('a\tb\nc\r\nd\u001B[31me')).toBe('a b c de');
});

test.each(hostileCorpus)('T16 T18 shows safely and parses back to: %s', (_, input) => {
  const json = escapeJson(JSON.stringify({ [input]: input }));
  expect(sanitize(json.replaceAll('🏴', ''))).toBe(json.replaceAll('🏴', ''));
  expect(JSON.parse(json)).toEqual({ [input]: input });
});

test('T16 parses back to any value', () => {
  expectForAll(fc.string({ unit: 'binary' }), (text) => {
    expect(JSON.parse(escapeJson(JSON.stringify(text)))).toBe(text);
  });
});

test.each([
  ['\u009B', String.raw`"\u009b"`],
  ['\u007F', String.raw`"\u007f"`],
  ['\u202E', String.raw`"\u202e"`],
  ['\u{E0041}', String.raw`"\udb40\udc41"`],
  ['日 😀', '"日 😀"'],
])('T16 writes %j as %s', (text, json) => {
  expect(escapeJson(JSON.stringify(text))).toBe(json);
});
