import { expect, test } from 'vitest';
import type { ReplState } from '../../../src/repl/state.ts';
import { effectsOf, enter, printed, run, stateOf, typed } from '../../support/repl-state.ts';

const command = (state: ReplState, line: string) => run(state, typed(line), enter);

test('/new removes what is attached, and names it', () => {
  const file = { name: '!ls', content: 'a.txt' };
  const { state, effects } = command(stateOf({ attachments: [file] }), '/new');
  expect(state.attachments).toEqual([]);
  expect(printed(effects)).toEqual(['no longer attached: !ls']);
  expect(effectsOf(effects, 'new-conversation')).toHaveLength(1);
});

test('/help attach names the way to remove what is attached', () => {
  expect(printed(command(stateOf(), '/help attach').effects)[0]).toContain('/attach none');
});
