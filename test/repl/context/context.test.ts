import { expect, test } from 'vitest';
import { contextText, type ContextFigures } from '../../../src/repl/context/context.ts';

const figures: ContextFigures = {
  model: 'origin',
  window: 1000,
  used: 400,
  isEstimate: false,
  maxTokens: 200,
  parts: { system: 100, summary: 100, files: 100, turns: 100, names: ['notes.md'] },
  attached: { files: 0, tokens: 0 },
  prompts: 1,
  summarized: 0,
  role: undefined,
  id: 'abcd2345',
};
const text = (isLineMode: boolean, unicode: boolean) =>
  contextText(figures, { isLineMode, unicode, columns: 23 });

test('the window is a bar of block characters', () => {
  expect(text(false, true).split('\n').slice(1)).toEqual([
    '▒▒▓▓▞▞██░░░░········',
    '▒ system prompt  ~100  10%',
    '▓ summary        ~100  10%',
    '▞ files          ~100  10%',
    '█ turns          ~100  10%',
    '░ answer room    ~200  20%',
    '· free           ~400  40%',
  ]);
});

test('without Unicode, the bar has letters', () => {
  expect(text(false, false).split('\n')).toContain('[ssmmffttaaaa........]');
  expect(text(false, false)).toContain('\nt turns ');
});

test('in line mode it is in words', () => {
  expect(text(true, true)).not.toMatch(/[▒▓▞█░·[\]]/);
  expect(text(true, true)).toContain('\nturns: about 100 tokens, 1 prompt\n');
});
