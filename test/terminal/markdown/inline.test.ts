import { describe, expect, test } from 'vitest';
import { colorStyle } from '../../../src/terminal/style.ts';
import { openStream, render } from './render.ts';

const { bold, italic, cyan, strikethrough, underline, dim } = colorStyle;

test.each([
  ['**strong** text', `${bold('strong')} text\n`],
  ['__strong__', `${bold('strong')}\n`],
  ['*em* and _em_', `${italic('em')} and ${italic('em')}\n`],
  ['***both***', `${bold(italic('both'))}\n`],
  ['*foo**bar* end', `${italic('foo**bar')} end\n`],
  ['foo***bar***baz', `foo${bold(italic('bar'))}baz\n`],
  ['foo*bar**baz', 'foo*bar**baz\n'],
  ['**a* b** c', `${italic(italic('a'))}${italic(' b')}* c\n`],
  ['a `code *span*` b', `a ${cyan('code *span*')} b\n`],
  ['`` a ` b ``', `${cyan('a ` b')}\n`],
  ['~~gone~~', `${strikethrough('gone')}\n`],
  ['~5 min to ~10 min, ~about~', '~5 min to ~10 min, ~about~\n'],
  [String.raw`\*not\* em`, '*not* em\n'],
  ['snake_case_word and 2 * 3 * 4', 'snake_case_word and 2 * 3 * 4\n'],
  ['**never closed', '**never closed\n'],
  ['`never closed', '`never closed\n'],
  ['a < b and c > d', 'a < b and c > d\n'],
  ['<b>tag</b>', '<b>tag</b>\n'],
  ['&amp; &lt; &hellip; &#8364; &#x20ac; &nosuch;', '& < … € € &nosuch;\n'],
  ['[1] and [^2] and [a][b]', '[1] and [^2] and [a][b]\n'],
  ['中文**强调**文字', `中文${bold('强调')}文字\n`],
  ['**「引号」**后面', `${bold('「引号」')}后面\n`],
])('inline text with colour: %j', (source, output) => {
  expect(render(source)).toBe(output);
});

test.each([
  ['[text](https://a.example)', `${underline('text')}${dim(' (https://a.example)')}\n`],
  ['[bank](http://evil.example)', `${underline('bank')}${dim(' (http://evil.example)')}\n`],
  ['[t](u "title")', `${underline('t')}${dim(' (u "title")')}\n`],
  ['https://a.example/x_y_z.', `${underline('https://a.example/x_y_z')}.\n`],
  ['<https://a.example>', `${underline('https://a.example')}\n`],
  ['[https://a.example](https://a.example)', `${underline('https://a.example')}\n`],
  [
    '[https://good.example](https://evil.example)',
    `${underline('https://good.example')}${dim(' (https://evil.example)')}\n`,
  ],
  ['me@a.example', `${underline('me@a.example')}\n`],
  ['![alt](a.png)', `alt${dim(' (a.png)')}\n`],
  ['[](a.html)', `${dim('(a.html)')}\n`],
])('T22 inline text with colour: %j shows its address', (source, output) => {
  expect(render(source)).toBe(output);
});

test.each([
  ['**strong** *em* __strong__ _em_'],
  ['`code` and ~~gone~~ and ***both***'],
  ['`` a ` b ``'],
  ['[text](http://a.example)', 'text (http://a.example)'],
])(
  'T22 inline text without colour: %j keeps its marks, or shows its address',
  (source, shown = source) => {
    expect(render(source, { color: false })).toBe(`${shown}\n`);
  },
);

describe('T6 hyperlinks', () => {
  const labelled = (url: string, label = url) =>
    `\u001B]8;;${url}\u001B\\${label}\u001B]8;;\u001B\\`;

  test('are made if the text is the address', () => {
    expect(render('see https://a.example now', { color: false, hyperlinks: true })).toBe(
      `see ${labelled('https://a.example')} now\n`,
    );
  });

  const hidden = { hyperlinks: true, hidesAddresses: true };

  test.each([
    ['[text](https://a.example/b)', labelled('https://a.example/b', underline('text')), ''],
    ['[mail](mailto:me@a.example)', labelled('mailto:me@a.example', underline('mail')), ''],
    [
      '[bank](http://xn--80ak6aa92e.example)',
      underline('bank'),
      ' (http://xn--80ak6aa92e.example)',
    ],
    ['[a.example](https://b.example)', underline('a.example'), ' (https://b.example)'],
    ['[me@a.example](mailto:me@b.example)', underline('me@a.example'), ' (mailto:me@b.example)'],
    ['[run](javascript:x)', underline('run'), ' (javascript:x)'],
    ['[file](file:///etc/passwd)', underline('file'), ' (file:///etc/passwd)'],
    ['[ünï](https://a.example/ü)', underline('ünï'), ' (https://a.example/ü)'],
    ['[text](https://a.example "title")', underline('text'), ' (https://a.example "title")'],
  ])('in a terminal that is known to open them, %s', (source, label, address) => {
    expect(render(source, hidden)).toBe(`${label}${address && dim(address)}\n`);
  });

  test('are on both rows of a label that is wrapped', () => {
    const output = render('[one two](https://a.example)', {
      ...hidden,
      width: 5,
      wrap: 'words',
    });
    const row = (text: string) => labelled('https://a.example', underline(text));
    expect(output).toBe(`${row('one')}\n${row('two')}\n`);
  });

  test.each([
    '[text](https://a.example)',
    '[https://a.example](https://b.example)',
    'www.a.example',
    'https://пример.example',
    '[javascript:x](javascript:x)',
  ])('are not made of %s', (source) => {
    expect(render(source, { color: false, hyperlinks: true })).not.toContain('\u001B');
  });
});

test.each([
  ['&copy; &rarr; &sum; &NotEqualTilde;', '© → ∑ ≂̸'],
  ['AT&T, &nosuch; and &amp', 'AT&T, &nosuch; and &amp'],
  ['`&lt;` &lt;', '`&lt;` <'],
  ['&#8212;&#x2014;', '——'],
])('T1 character references of %s are characters', (source, shown) => {
  expect(render(source, { color: false })).toBe(`${shown}\n`);
});

test.each([
  '&#27;[31m',
  '&#x1b;]52;c;eA==',
  '&#155;',
  '&#8238;',
  '&#x200b;',
  '&#0;',
  '&#55357;',
  '&#13;',
  '&ZeroWidthSpace;&rlm;',
  'a&NewLine;b&Tab;c',
])('T1 character references stay as written if they are %s', (source) => {
  expect(render(source, { color: false })).toBe(`${source}\n`);
});

describe('decided text is written at once', () => {
  test.each([
    ['one two', 'one'],
    ['one **two', 'one'],
    ['one **two** three', `one ${bold('two')}`],
    // The rule of three (CommonMark 6.2): the inner run does not close the outer one.
    ['one *two**three', 'one'],
    ['one *two**three* four', `one ${italic('two**three')}`],
    ['one [two](http', 'one'],
    ['中文字', '中文'],
    ['# Title', ''],
    ['- item text', '• item'],
    ['line one\n', 'line'],
  ])('of %j', (source, output) => {
    expect(openStream().write(source)).toBe(output);
  });

  test.each([
    ['one **two', ' **two'],
    ['# Title', '# Title'],
    ['| a | b |\n|---|---|\n| 1', '| a | b |\n|---|---|\n| 1'],
  ])('and the undecided rest of %j is kept', (source, undecided) => {
    const stream = openStream();
    void stream.write(source);
    expect(stream.undecided()).toBe(undecided);
  });

  test('a long word is not cut within a character', () => {
    const stream = openStream();
    const units = `a${'😀'.repeat(3000)}`.split('');
    const outputs = units
      .map((unit) => stream.write(unit))
      .filter((one) => typeof one === 'string');
    expect(outputs.filter((output) => /\p{Surrogate}/u.test(output))).toEqual([]);
    expect(outputs.join('').length).toBeGreaterThan(4000);
  });

  test('an open mark holds back at most about a thousand characters', () => {
    const stream = openStream();
    void stream.write(`**never closed ${'word '.repeat(1000)}`);
    expect(stream.undecided().length).toBeLessThan(20);
  });
});
