import { expect, test } from 'vitest';
import { estimateTokens } from '../../../src/conversation/token-estimate.ts';
import { onChatEvent } from '../../../src/repl/answers/answering.ts';
import type { ReplState } from '../../../src/repl/state.ts';
import { enter, run, stateOf, typed } from '../../support/repl-state.ts';

const tokensIn = ({ activity }: ReplState) =>
  activity?.type === 'answer' ? Math.ceil(activity.tokens) : undefined;

const received = (state: ReplState, text: string) =>
  onChatEvent(state, { type: 'text-received', text, deltas: [text] }, 0);

test('the count of an answer in progress does not depend on its pieces', () => {
  const pieces = Array.from({ length: 100 }, (_, index) => ['a', 'word ', 'é'][index % 3] ?? '');
  const asked = run(stateOf(), typed('hello'), enter).state;
  const tokens = estimateTokens(pieces.join(''));
  expect(tokensIn(pieces.reduce(received, asked))).toBe(tokens);
});
