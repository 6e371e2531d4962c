import { describe, expect, test } from 'vitest';
import {
  readPromptArguments,
  promptLine,
} from '../../../src/repl/prompt-files/send-prompt-file.ts';

const prompt = {
  name: 'review',
  variables: [{ name: 'lang', choices: ['ts', 'js'], default: 'ts' }, { name: 'focus' }],
};

describe('values after the name of a prompt file', () => {
  test.each([
    ['lang=js the rest', { lang: 'js' }, 'the rest'],
    ['--lang=js', { lang: 'js' }, ''],
    ['focus="two words" lang=ts a\nb', { focus: 'two words', lang: 'ts' }, 'a\nb'],
    ['focus=\'say "so"\'', { focus: 'say "so"' }, ''],
    ['the rest lang=js', {}, 'the rest lang=js'],
    ['x=1 is a sum', {}, 'x=1 is a sum'],
  ])('%j is read', (argument, values, text) => {
    expect(readPromptArguments(prompt, argument)).toEqual({ values, text });
  });

  test.each([
    ['lang=go', 'lang must be one of ts, js'],
    ['lagn=ts', 'the prompt file has no variable "lagn"'],
    ['--tone=kind', 'the prompt file has no variable "tone"'],
    ['focus=', 'focus needs a value'],
  ])('%j is refused', (argument, problem) => {
    expect(readPromptArguments(prompt, argument)).toMatchObject({ problem });
  });

  test('the line with the values is read as the same values', () => {
    const use = { name: 'review', values: { focus: 'a "b" c', lang: 'ts' }, text: 'x = y' };
    const line = promptLine(use);
    expect(readPromptArguments(prompt, line.slice('/review '.length))).toEqual({
      values: use.values,
      text: use.text,
    });
  });
});
