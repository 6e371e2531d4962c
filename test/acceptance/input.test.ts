import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { runInMemory } from '../support/in-memory.ts';
import { runNatter, startNatter } from '../support/natter.ts';
import { runShell } from '../support/shell.ts';

const echo = '[sandbox echo]';
const onSandbox = (...words: string[]) => ['--sandbox', ...words];

test.each([
  ['follows the prompt after a blank line', [`${echo}ask`], 'text', 'ask\n\ntext'],
  ['keeps all its whitespace', [`${echo}ask`], '\n a\n\n', 'ask\n\n\n a\n\n'],
  ['replaces {{stdin}}', [`${echo}a {{stdin}} b`], 'X', 'a X b'],
  ['replaces every {{stdin}}', [`${echo}{{stdin}}, {{stdin}}`], 'X', 'X, X'],
  ['is the prompt if there is no other', [], `${echo}text`, 'text'],
  ['is required by -', [`${echo}a`, '-', 'b'], 'text', 'a b\n\ntext'],
  [
    'Y11: is attached by -f -',
    [`${echo}a`, '-f', '-'],
    'text',
    'a\n\n<file name="stdin">\ntext\n</file>',
  ],
  ['with -f - replaces {{stdin}}', [`${echo}a {{stdin}}`, '-f', '-'], 'text', 'a text'],
  ['is ignored with --no-stdin', [`${echo}a {{stdin}}`, '--no-stdin'], 'X', 'a {{stdin}}'],
])('standard input %s', async (_name, words, input, expected) => {
  const { code, stdout } = await runInMemory(onSandbox('--raw', ...words), { input });
  expect({ code, stdout }).toEqual({ code: 0, stdout: expected });
});

test.each([
  ['an empty input with -', [`${echo}a`, '-'], /standard input is empty/],
  ['an empty input with -f -', [`${echo}a`, '-f', '-'], /standard input is empty/],
  ['-f - together with --no-stdin', ['a', '-f', '-', '--no-stdin'], /--no-stdin ignores it/],
  ['- together with --no-stdin', ['a', '-', '--no-stdin'], /--no-stdin ignores it/],
  ['a missing prompt', [], /nothing to send/],
])('P15 natter refuses %s', async (_name, words, message) => {
  const { code, stdout, stderr } = await runInMemory(onSandbox(...words));
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(message);
});

test.each([
  ['{{stdin}} in --system', '{{stdin}} a {{stdin}}', 'hi', 'X a X', 'hi'],
  ['{{stdin}} in --system and the prompt', 'a {{stdin}}', 'b {{stdin}}', 'a X', 'b X'],
])('Y11: standard input replaces %s', async (_name, system, prompt, expectedSystem, expected) => {
  const words = onSandbox('--dry-run', '-s', system, prompt);
  for (const command of [words, ['compare', '-m', 'origin', '-m', 'nextgen', ...words]]) {
    const { code, stdout } = await runInMemory(command, { input: 'X' });
    expect(code).toBe(0);
    const document = JSON.parse(stdout) as Readonly<Record<string, unknown>>;
    const { requests = [document] } = document as { readonly requests?: readonly object[] };
    for (const request of requests) {
      expect(request).toMatchObject({
        request: {
          body: {
            messages: [
              { role: 'system', content: expectedSystem },
              { role: 'user', content: expected },
            ],
          },
        },
      });
    }
  }
});

test('Y11: with --no-stdin, {{stdin}} in --system is sent unchanged', async () => {
  const words = onSandbox('--dry-run', '--no-stdin', '-s', 'a {{stdin}}', 'hi');
  expect((await runInMemory(words, { input: 'X' })).stdout).toContain('a {{stdin}}');
});

test('Y8: the guides mention that a byte order mark is not sent', async () => {
  const helped = await runInMemory(['help', 'piping']);
  for (const text of [readFileSync('README.md', 'utf8'), readFileSync('docs/scripts.md', 'utf8')]) {
    expect(text).toMatch(/Standard input is appended[^]{0,200} byte order mark/);
  }
  expect(helped.stdout.replaceAll(/\s+/g, ' ')).toContain('byte order mark');
});

test.each(['<&-', '</dev/null'])(
  'P15 a prompt needs no standard input, with %s',
  async (redirection) => {
    const line = `$NATTER --sandbox "${echo}hello" ${redirection}`;
    expect(await runShell(line)).toMatchObject({ code: 0, stdout: 'hello\n', stderr: '' });
  },
);

test('P15 a folder as standard input is refused, and --no-stdin ignores it', async () => {
  const refused = await runShell(`$NATTER --sandbox "${echo}hello" </tmp`);
  expect(refused).toMatchObject({ code: 2, stdout: '' });
  expect(refused.stderr).toMatch(/it is a folder\n {2}use --no-stdin/);
  const ignored = await runShell(`$NATTER --sandbox --no-stdin "${echo}hello" </tmp`);
  expect(ignored).toMatchObject({ code: 0, stdout: 'hello\n' });
});

test('P14 natter waits for input that is silent for more than two seconds', async () => {
  const natter = startNatter(onSandbox(`${echo}ask`), { keepInputOpen: true });
  await natter.waitFor('stderr', /waiting for standard input/);
  natter.child.stdin?.end('late');
  expect(await natter.result).toMatchObject({ code: 0, stdout: 'ask\n\nlate\n' });
});

test('P16 an open, silent input causes one notice that names --no-stdin, and Ctrl+C exits', async () => {
  const natter = startNatter(onSandbox('hello'), { keepInputOpen: true });
  await natter.waitFor('stderr', /\n/);
  natter.child.kill('SIGINT');
  const { signal, stdout, stderr } = await natter.result;
  expect({ signal, stdout, stderr }).toEqual({
    signal: 'SIGINT',
    stdout: '',
    stderr: 'natter: still waiting for standard input to end; use --no-stdin to ignore it\n',
  });
});

test.each([
  [['{{stdin}}'], 'the prompt'],
  [['-s', '{{stdin}}', 'hi'], '--system'],
])('empty standard input for the placeholder in %j is refused', async (words, place) => {
  const { code, stdout, stderr } = await runInMemory(['--sandbox', ...words], { input: '' });
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(
    new RegExp(
      `^natter: ${place} contains {{stdin}}, but standard input is empty\n  pipe something`,
    ),
  );
});

test('P27 an unknown flag is a usage error and sends nothing', async () => {
  const { code, stdout, stderr } = await runInMemory(['--sandbox', '--bogus', 'hi']);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(/^natter: unknown option '--bogus'\n {2}see natter --help/);
});

const ask = ['--sandbox', '[sandbox echo]{{stdin}}'];
const bytes = (...parts: (string | number[])[]) =>
  Buffer.concat(parts.map((part) => Buffer.from(part as string)));

test.each([
  ['P11 NUL', bytes('abc', [0], 'def'), 'standard input is binary: byte 3 is NUL'],
  ['P11 NUL at a high offset', bytes('a'.repeat(70_000), [0]), 'byte 70000 is NUL'],
  ['P12 invalid UTF-8', bytes('ab', [0xff], 'c'), 'standard input is not UTF-8: byte 2 is invalid'],
  [
    'P12 invalid UTF-8 at a high offset',
    bytes('a'.repeat(70_000), [0xff], 'c'),
    'standard input is not UTF-8: byte 70000 is invalid',
  ],
  ['P12 a character cut by the end of input', bytes('caf', [0xe9]), 'byte 3 is invalid'],
  ['P12 a character cut by the next one', bytes('caf', [0xe9], 's'), 'byte 3 is invalid'],
  [
    'P12 invalid UTF-8 after a byte order mark',
    bytes([0xef, 0xbb, 0xbf, 0xff]),
    'byte 3 is invalid',
  ],
  [
    'P12 invalid UTF-8 across two reads',
    bytes('a'.repeat(65_535), [0xe9], 's'),
    'byte 65535 is invalid',
  ],
  [
    'P12 a lone surrogate in UTF-16',
    bytes([0xff, 0xfe, 0x68, 0, 0, 0xd8, 0x78, 0]),
    'byte 4 is invalid',
  ],
])('%s is refused, and the message has the offset', async (_name, input, message) => {
  const { code, stdout, stderr } = await runInMemory(ask, { input });
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain(message);
  expect(stderr).toContain('--stdin-encoding');
  expect(stderr).toContain('--lossy');
});

test.each([
  ['a named encoding', ['--stdin-encoding', 'latin1'], bytes('caf', [0xe9]), 'café'],
  ['Japanese', ['--stdin-encoding', 'shift_jis'], bytes([0x93, 0xfa, 0x96, 0x7b]), '日本'],
  ['--lossy', ['--lossy'], bytes('ab', [0xff], 'c'), 'ab\uFFFDc'],
  ['--lossy with NUL', ['--lossy'], bytes('a', [0], 'b'), 'a\0b'],
  ['a byte order mark', [], bytes([0xef, 0xbb, 0xbf], 'text'), 'text'],
  ['UTF-16 with a byte order mark', [], bytes([0xff, 0xfe, 0x68, 0, 0x69, 0]), 'hi'],
  ['big-endian UTF-16 with a byte order mark', [], bytes([0xfe, 0xff, 0, 0x68, 0, 0x69]), 'hi'],
  [
    'UTF-16 without a mark, named by the option',
    ['--stdin-encoding', 'utf-16le'],
    bytes('h\0i\0'),
    'hi',
  ],
])('P12 natter reads %s', async (_name, flags, input, expected) => {
  const { code, stdout } = await runInMemory([...ask, '--raw', ...flags], { input });
  expect({ code, stdout }).toEqual({ code: 0, stdout: expected });
});

test('P12 an unknown encoding is refused before natter waits for input', async () => {
  const words = [...ask, '--stdin-encoding', 'klingon'];
  const { code, stderr } = await runNatter(words, { keepInputOpen: true });
  expect(code).toBe(2);
  expect(stderr).toContain('unknown encoding "klingon"');
});
