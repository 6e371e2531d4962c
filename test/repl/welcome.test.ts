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

test.each([
  [80, 'natter · sandbox · origin · /help · @file · Ctrl+J new line'],
  [34, 'natter · sandbox · origin · /help'],
])('a conversation in %i columns starts with keys to learn', (columns, text) => {
  const entry = welcomeEntry(stateOf({ service, columns, unicode: true }));
  expect(entry).toEqual({ type: 'notice', text });
});
