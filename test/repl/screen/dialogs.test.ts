import { expect, test } from 'vitest';
import { keyDialog } from '../../../src/repl/connection.ts';
import { promptDialog } from '../../../src/repl/prompt-files/send-prompt-file.ts';
import { runInApp } from '../../support/app.tsx';
import { pressed, stateOf, typed } from '../../support/repl-state.ts';

/** A state that asks for one of these values. */
function asking(choices: readonly string[], rows = 24) {
  const variable = { name: 'drink', choices };
  const prompt = { name: 'order', variables: [variable] };
  const pending = { prompt, values: {}, text: '', line: '/order', missing: [variable] };
  return stateOf({ dialog: promptDialog(pending), rows });
}

const choicesOf = (rows: readonly string[]) => rows.filter((row) => /^[ ›] \d/.test(row));

test.each([
  ['go', [typed('g'), typed('o')], '› 3 go'],
  ['go, in one piece', [typed('go')], '› 3 go'],
  ['a different start', [typed('g'), typed('r')], '› 4 rust'],
  ['nothing that begins so', [typed('x')], '› 1 ts'],
  ['1, which begins a value', [typed('1')], '› 5 10'],
])('a value is chosen by typing %s', (_what, keys, selected) => {
  expect(runInApp(asking(['ts', 'Gleam', 'go', 'rust', '10']), ...keys).rows).toContain(selected);
});

test('the selected one of many choices is in sight', () => {
  const many = asking(
    Array.from({ length: 30 }, (_, index) => `tea ${index + 1}`),
    9,
  );
  expect(choicesOf(runInApp(many).rows)).toEqual([
    '› 1 tea 1',
    '  2 tea 2',
    '  3 tea 3',
    '  4 tea 4',
    '  5 tea 5',
  ]);
  expect(choicesOf(runInApp(many, pressed('up')).rows).at(-1)).toBe('› 30 tea 30');
});

test('a hidden entry shows one asterisk for each character', () => {
  const dialog = keyDialog(stateOf().service, 'https://api.example.com');
  expect(runInApp(stateOf({ dialog }), typed('kéy')).rows).toContain('API key: ***');
});
