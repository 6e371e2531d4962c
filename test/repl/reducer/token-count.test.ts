import { expect, test } from 'vitest';
import { estimateTokens } from '../../../src/conversation/token-estimate.ts';
import { onChatEvent } from '../../../src/repl/reducer/answering.ts';
import type { ReplState } from '../../../src/repl/state/state.ts';
import { activityText } from '../../../src/repl/text/status-text.ts';
import type { Action } from '../../../src/repl/state/action.ts';
import { conversationOf, enter, run, stateOf, typed } from '../../support/repl-state.ts';

function shown(state: ReplState): string {
  if (state.activity?.type !== 'answer') throw new Error('there is no answer in progress');
  return activityText(state.activity, state.activity.since);
}

const received = (state: ReplState, text: string) =>
  onChatEvent(state, { type: 'text-received', text, deltas: [text] }, 0);

test('the count of an answer in progress does not depend on its pieces', () => {
  const pieces = Array.from({ length: 100 }, (_, index) => ['a', 'word ', 'é'][index % 3] ?? '');
  const asked = run(stateOf(), typed('hello'), enter).state;
  const tokens = estimateTokens(pieces.join(''));
  expect(shown(pieces.reduce(received, asked))).toContain(`· ~${tokens} tokens`);
});

/** The tokens shown after an answer of `text`, once the session has had an answer with the same text. */
function tokensShown(text: string, counted: number, model = 'origin'): string {
  const answered = (content: string, completion_tokens: number) =>
    conversationOf(
      { role: 'user', content: 'hello' },
      { role: 'assistant', content, model: 'a version of it', usage: { completion_tokens } },
    );
  const ended: Action = {
    type: 'answer-ended',
    outcome: { type: 'finished' },
    conversation: answered(text, counted),
    now: 0,
  };
  const first = run(stateOf(), typed('hello'), enter, ended).state;
  const settings = { ...first.settings, model };
  const asked = run({ ...first, settings }, typed('more'), enter).state;
  return shown(received(asked, text));
}

const text = 'word '.repeat(264);

test('the count of an answer follows what the service counted before', () => {
  expect(tokensShown(text, 300)).toContain('· ~300 tokens');
});

test('tokens of hidden reasoning, and those of a different model, correct nothing', () => {
  expect(tokensShown(text, 3000)).toContain('· ~330 tokens');
  expect(tokensShown(text, 300, 'nextgen')).toContain('· ~330 tokens');
});
