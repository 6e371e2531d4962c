import { expect, test } from 'vitest';
import { createTerminalQuestions } from '../../../src/terminal/device/traits.ts';

test('answers of the terminal go to the questions in their order', () => {
  const written: string[] = [];
  const heard: string[] = [];
  const questions = createTerminalQuestions((text) => written.push(text));
  questions.askColumn((column) => heard.push(`first ${column}`));
  questions.askColumn((column) => heard.push(`second ${column}`));
  for (const column of [7, 8, 9]) questions.answered({ type: 'cursor-column', column });
  expect(written).toEqual(['\u001B[6n', '\u001B[6n']);
  expect(heard).toEqual(['first 7', 'second 8']);
});

test.each([
  ['xterm.js', '0;276;0', true],
  ['VTE', '65;7802;1', false],
  ['tmux', '84;0;0', false],
  ['a terminal without an answer', undefined, false],
])('X26: %s is known by its answer', (_, parameters, drifts) => {
  const written: string[] = [];
  const heard: boolean[] = [];
  const questions = createTerminalQuestions((text) => written.push(text));
  questions.askDrift((answer) => heard.push(answer));
  if (parameters !== undefined) questions.answered({ type: 'terminal-kind', parameters });
  expect(heard).toEqual([]);
  questions.answered({ type: 'cursor-column', column: 3 });
  expect(written).toEqual(['\u001B[>c\u001B[6n']);
  expect(heard).toEqual([drifts]);
});
