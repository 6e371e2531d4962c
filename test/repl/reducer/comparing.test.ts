import { describe, expect, test } from 'vitest';
import type { Turn } from '../../../src/conversation/tree.ts';
import type { ReplState } from '../../../src/repl/state/state.ts';
import {
  conversationOf,
  effectsOf,
  enter,
  printed,
  run,
  stateOf,
  typed,
} from '../../support/repl-state.ts';

const command = (state: ReplState, line: string) => run(state, typed(line), enter);

/** A session whose last turn was answered by a model. */
function answeredBy(model: string, ...before: readonly Pick<Turn, 'role' | 'content'>[]) {
  const turns = [
    ...before,
    { role: 'user', content: 'why?' } as const,
    { role: 'assistant', content: 'because', model } as const,
  ];
  return stateOf({ conversation: conversationOf(...turns) });
}

describe('/compare asks', () => {
  test.each([
    ['origin', '/compare', 'nextgen'],
    ['nextgen', '/compare', 'origin'],
    ['origin', '/compare origin', 'origin'],
    ['llama3', '/compare mistral:7b', 'mistral:7b'],
    // The service has a name of its own for what the session calls origin.
    ['origin-2026-11', '/compare', 'nextgen'],
  ])('after an answer of %s, as %s, %s', (answered, line, asked) => {
    const { state, effects } = command(answeredBy(answered), line);
    const [ask] = effectsOf(effects, 'send');
    expect(ask?.prompt).toEqual({ type: 'repeat', turnId: 't1' });
    expect(ask?.settings.model).toBe(asked);
    expect(state.activity).toMatchObject({ model: asked, comparedWith: 't2' });
    expect(printed(effects)).toContain(`${asked} answers the same prompt`);
  });

  test('under the system prompt the first was asked with', () => {
    const brief = answeredBy('origin', { role: 'system', content: 'be brief' });
    const settings = { ...brief.settings, system: 'be long' };
    const { effects } = command({ ...brief, settings }, '/compare');
    expect(effectsOf(effects, 'send')[0]?.settings.system).toBe('be brief');
  });

  test('and leaves the model of the session as it is', () => {
    expect(command(answeredBy('origin'), '/compare').state.settings.model).toBe('origin');
  });
});

const elsewhere = answeredBy('llama3');

describe('/compare sends nothing', () => {
  test.each<[string, ReplState, string, string]>([
    ['without a prompt', stateOf(), '/compare', 'there is no answer to compare with'],
    [
      'without an answer',
      stateOf({ conversation: conversationOf({ role: 'user', content: 'why?' }) }),
      '/compare',
      'there is no answer to compare with',
    ],
    [
      'for an id with blanks',
      answeredBy('origin'),
      '/compare a b',
      'a model id cannot contain spaces',
    ],
    [
      'where the other model is not known',
      { ...elsewhere, settings: { ...elsewhere.settings, model: 'llama3' } },
      '/compare',
      '/compare needs a model',
    ],
  ])('%s', (_, state, line, told) => {
    const { effects } = command(state, line);
    expect(effectsOf(effects, 'send')).toEqual([]);
    expect(printed(effects)).toEqual([told]);
  });
});
