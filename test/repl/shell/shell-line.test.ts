import { describe, expect, test } from 'vitest';
import {
  commandName,
  readShellLine,
  screenProgramOf,
} from '../../../src/repl/shell/shell-lines.ts';

test.each([
  ['!ls -l', 'ls -l', true],
  ['! ls ', 'ls', true],
  ['!!make', 'make', false],
  ['!', '', true],
  ['!!', '', false],
  ['!ls\npwd', 'ls\npwd', true],
])('%j is the command %j', (text, command, isAttached) => {
  expect(readShellLine(text)).toEqual({ command, isAttached });
});

test.each([
  ['ls', 'ls'],
  ['ls\npwd', 'ls …'],
  ['a'.repeat(61), `${'a'.repeat(59)}…`],
])('%j has the name %j', (command, name) => {
  expect(commandName(command)).toBe(name);
});

describe('a program that uses the screen', () => {
  test.each([
    ['vim', 'vim'],
    ['vi notes.md', 'vi'],
    ['sudo nano /etc/hosts', 'nano'],
    ['htop', 'htop'],
    ['LANG=C A= vi notes.md', 'vi'],
  ])('is recognised in %j', (command, program) => {
    expect(screenProgramOf(command)).toBe(program);
  });

  test.each(['vim -es script', 'viewer a', 'echo vim', 'emacs --batch', 'ls vim', 'vi; ls'])(
    'is not in %j',
    (command) => {
      expect(screenProgramOf(command)).toBeUndefined();
    },
  );
});
