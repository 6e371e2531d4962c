import { expect, test } from 'vitest';
import { createCursorQuestion } from '../../src/terminal/cursor-question.ts';

test('answers of the terminal go to the questions in their order', () => {
  const written: string[] = [];
  const heard: string[] = [];
  const question = createCursorQuestion((text) => written.push(text));
  question.ask((column) => heard.push(`first ${column}`));
  question.ask((column) => heard.push(`second ${column}`));
  question.answered(7);
  question.answered(8);
  question.answered(9);
  expect(written).toEqual(['\u001B[6n', '\u001B[6n']);
  expect(heard).toEqual(['first 7', 'second 8']);
});
