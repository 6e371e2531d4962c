import { expect, test } from 'vitest';
import type { ReplState } from '../../src/repl/state.ts';
import {
  conversationOf,
  effectsOf,
  enter,
  printed,
  run,
  stateOf,
  typed,
} from '../support/repl-state.ts';

const withLastPrompt = stateOf({
  conversation: conversationOf(
    { role: 'user', content: 'why?' },
    { role: 'assistant', content: 'because', model: 'origin' },
  ),
});

const command = (state: ReplState, line: string) => run(state, typed(line), enter);

test.each([
  ['/undo 2', '/undo takes no argument', 'each /undo removes one prompt; repeat it to remove more'],
  [
    '/new topic',
    '/new takes no argument',
    '/new starts a conversation; then /rename TITLE sets its title',
  ],
  ['/quit now', '/quit takes no argument', 'type /quit alone'],
  ['/pin tea', '/pin takes only the word off', '/pin off'],
  ['/context x', '/context takes only the word summary', '/context summary'],
  ['/retry -m nextgen', '/retry takes only the id of a model', '/retry nextgen'],
])('%s is refused and has no effect', (line, message, hint) => {
  const { effects } = command(withLastPrompt, line);
  expect(effectsOf(effects, 'print').at(-1)?.entries).toEqual([
    expect.objectContaining({ message, hint }),
  ]);
  const types = new Set(effects.map(({ type }) => type));
  expect(types).toEqual(new Set(['remember', 'print']));
});

test('/retry with a model asks that model, for this answer only', () => {
  const { state, effects } = command(withLastPrompt, '/retry nextgen');
  expect(printed(effects)).toEqual(['nextgen answers the same prompt']);
  expect(effectsOf(effects, 'send')[0]).toMatchObject({
    prompt: { type: 'repeat', turnId: 't1' },
    settings: { model: 'nextgen' },
    nextModel: 'origin',
  });
  expect(state.settings.model).toBe('origin');
});

test('/model is recorded in a conversation with turns', () => {
  const record = { type: 'record-model', input: 'nextgen' };
  expect(command(withLastPrompt, '/model nextgen').effects).toContainEqual(record);
  expect(command(stateOf(), '/model nextgen').effects).not.toContainEqual(record);
});
