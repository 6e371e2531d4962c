import { expect, test } from 'vitest';
import { runNatter } from '../support/natter.ts';

const ask = ['--sandbox', '[sandbox echo]{{stdin}}'];
const bytes = (...parts: (string | number[])[]) =>
  Buffer.concat(parts.map((part) => Buffer.from(part as string)));

test.each([
  ['P11 NUL', bytes('abc', [0], 'def'), 'standard input is binary: byte 3 is NUL'],
  ['P11 a NUL far in', bytes('a'.repeat(70_000), [0]), 'byte 70000 is NUL'],
  ['P12 invalid UTF-8', bytes('ab', [0xff], 'c'), 'standard input is not UTF-8: byte 2 is invalid'],
  [
    'P12 invalid UTF-8 far in',
    bytes('a'.repeat(70_000), [0xff], 'c'),
    'standard input is not UTF-8: byte 70000 is invalid',
  ],
  ['P12 a character cut by the end', bytes('caf', [0xe9]), 'byte 3 is invalid'],
  ['P12 a character cut by another', bytes('caf', [0xe9], 's'), 'byte 3 is invalid'],
  ['P12 a fault after a mark', bytes([0xef, 0xbb, 0xbf, 0xff]), 'byte 3 is invalid'],
  ['P12 a fault over a block', bytes('a'.repeat(65_535), [0xe9], 's'), 'byte 65535 is invalid'],
  ['P12 half a UTF-16 pair', bytes([0xff, 0xfe, 0x68, 0, 0, 0xd8, 0x78, 0]), 'byte 4 is invalid'],
])('%s is refused, and the message names its place', async (_name, input, message) => {
  const { code, stdout, stderr } = await runNatter(ask, { input });
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
  ['UTF-16 by its mark', [], bytes([0xff, 0xfe, 0x68, 0, 0x69, 0]), 'hi'],
  ['big-endian UTF-16 by its mark', [], bytes([0xfe, 0xff, 0, 0x68, 0, 0x69]), 'hi'],
  ['unmarked UTF-16 by name', ['--stdin-encoding', 'utf-16le'], bytes('h\0i\0'), 'hi'],
])('P12 natter reads %s', async (_name, flags, input, expected) => {
  const { code, stdout } = await runNatter([...ask, ...flags], { input });
  expect({ code, stdout }).toEqual({ code: 0, stdout: expected });
});

test('P12 an unknown encoding is refused before input is waited for', async () => {
  const words = [...ask, '--stdin-encoding', 'klingon'];
  const { code, stderr } = await runNatter(words, { keepInputOpen: true });
  expect(code).toBe(2);
  expect(stderr).toContain('unknown encoding "klingon"');
});
