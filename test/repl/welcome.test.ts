import { expect, test } from 'vitest';
import { welcomeEntry } from '../../src/repl/run.ts';
import { stateOf } from '../support/repl-state.ts';

const service = { address: 'the sandbox', isSandbox: true, hasKey: true };

test('a conversation in plain lines starts with the source, the model and /help', () => {
  expect(welcomeEntry(stateOf({ isLineMode: true, service }))).toEqual({
    type: 'notice',
    text: 'sandbox, model origin; /help lists the commands',
  });
});

test('a conversation in the live region starts with three keys to learn', () => {
  expect(welcomeEntry(stateOf({ service }))).toEqual({
    type: 'welcome',
    parts: ['natter', 'sandbox', 'origin', '/help', '@file', 'Ctrl+J new line'],
  });
});
