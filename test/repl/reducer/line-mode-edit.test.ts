import { describe, expect, test } from 'vitest';
import { conversationOf, effectsOf, printed, run, stateOf } from '../../support/repl-state.ts';

const exchange = conversationOf(
  { role: 'user', content: 'why?' },
  { role: 'assistant', content: 'because', model: 'origin' },
);

describe('/edit in line mode', () => {
  const lineState = stateOf({ conversation: exchange, isLineMode: true });
  const edited = run(lineState, { type: 'line-entered', text: '/edit', now: 0 });

  test('shows the edited prompt, and the next line replaces it', () => {
    expect(printed(edited.effects)).toEqual([
      'type a new version of: why?\nCtrl-C keeps the old version',
    ]);
    const sent = run(edited.state, { type: 'line-entered', text: 'how?', now: 0 });
    expect(effectsOf(sent.effects, 'send')[0]?.prompt).toMatchObject({
      content: 'how?',
      parent: undefined,
    });
  });

  test('is given up with Ctrl-C', () => {
    const given = run(edited.state, { type: 'interrupted', now: 0 });
    expect(printed(given.effects)).toEqual(['edit cancelled; the prompt is unchanged']);
    const sent = run(given.state, { type: 'line-entered', text: 'next', now: 0 });
    expect(effectsOf(sent.effects, 'send')[0]?.prompt).toMatchObject({ parent: 't2' });
  });
});
