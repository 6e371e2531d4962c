import { expect, test } from 'vitest';
import { estimateTokens } from '../../../src/conversation/token-estimate.ts';
import { onChatEvent } from '../../../src/repl/reducer/answering.ts';
import { activityText } from '../../../src/repl/text/status-text.ts';
import { enter, run, stateOf, typed } from '../../support/repl-state.ts';

test('the count of an answer in progress does not depend on its pieces', () => {
  const pieces = Array.from({ length: 100 }, (_, index) => ['a', 'word ', 'é'][index % 3] ?? '');
  const asked = run(stateOf(), typed('hello'), enter).state;
  const { activity } = pieces.reduce(
    (state, text) => onChatEvent(state, { type: 'text-received', text, deltas: [text] }, 0),
    asked,
  );
  if (activity?.type !== 'answer') throw new Error('there is no answer in progress');
  const tokens = estimateTokens(pieces.join(''));
  expect(activityText(activity, activity.since)).toContain(`· ~${tokens} tokens`);
});
