import { expect, test } from 'vitest';
import { enter, printed, run, stateOf, typed } from '../../support/repl-state.ts';

const command = (line: string) => run(stateOf(), typed(line), enter);

test('/wrap shows or sets how answers are wrapped', () => {
  expect(printed(command('/wrap').effects)[0]).toMatch(/between words/);
  const { state, effects } = command('/wrap none');
  expect(state.settings.wrap).toBe('none');
  expect(printed(effects)[0]).toMatch(/the terminal wraps answers/);
  expect(printed(command('/wrap lines').effects)).toEqual(['unknown wrap mode lines']);
});
