import { expect, test } from 'vitest';
import { conversationOf, enter, printed, run, stateOf, typed } from '../support/repl-state.ts';

const command = (line: string) => run(stateOf(), typed(line), enter);

test('/wrap shows or sets how answers are wrapped', () => {
  expect(printed(command('/wrap').effects)[0]).toMatch(/between words/);
  const { state, effects } = command('/wrap none');
  expect(state.settings.wrap).toBe('none');
  expect(printed(effects)[0]).toMatch(/the terminal wraps answers/);
  expect(printed(command('/wrap lines').effects)).toEqual(['unknown wrap mode lines']);
});

test('/clear shows that the conversation continues, if there is one', () => {
  const conversation = conversationOf({ role: 'user', content: 'why?' });
  const { effects } = run(stateOf({ conversation }), typed('/clear'), enter);
  expect(effects.map(({ type }) => type)).toEqual(['remember', 'scroll-away', 'print']);
  expect(printed(effects)).toEqual(['the conversation continues; /new starts a new one']);
  expect(printed(command('/clear').effects)).toEqual([]);
});
