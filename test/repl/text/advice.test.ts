import { expect, test } from 'vitest';
import { silence } from '../../../src/client/failure/answer-failure.ts';
import { errorNames } from '../../../src/client/contract.ts';
import { serviceFailure } from '../../../src/client/failure/service-failure.ts';
import { contextFit, contextWarning } from '../../../src/conversation/context-fit.ts';
import { findConversation } from '../../../src/conversation/library/find-conversation.ts';
import { adviceInConversation } from '../../../src/repl/text/advice.ts';
import { failureText } from '../../../src/repl/session/session-core.ts';

function thrownBy(act: () => unknown): unknown {
  try {
    return act();
  } catch (error) {
    return error;
  }
}

const hintAfter = (status: number) =>
  serviceFailure({ status, headers: {}, text: '' }, new Date(0)).hint ?? '';

test.each(Object.keys(errorNames).map(Number))(
  'the hint after status %d names no option as if it could be typed here',
  (status) => {
    const advice = adviceInConversation(hintAfter(status));
    expect(advice).not.toMatch(/natter models list|--dry-run/);
    expect(advice.includes('--')).toBe(advice.endsWith('(when natter is started)'));
  },
);

test('a refused request is changed with slash commands', () => {
  expect(adviceInConversation(hintAfter(400))).toBe(
    '/model, /system and /max-tokens change what is sent',
  );
});

test('what cannot be reached needs no other run of natter', () => {
  expect(adviceInConversation('check the base URL and the network: natter auth status')).toBe(
    'check the base URL and the network',
  );
});

test('a limit that only an option moves says when it is given', () => {
  expect(failureText(silence(5000), String).hint).toBe(
    'ask again, or allow longer pauses with --idle-timeout (when natter is started)',
  );
});

test('the larger model is offered as a slash command', () => {
  const warning = contextWarning(contextFit('origin', 127_000)) ?? '';
  expect(adviceInConversation(warning)).toContain('; /model nextgen has a larger window');
});

test('a conversation that is not there points to the list in the REPL', () => {
  const find = () => findConversation('/nowhere', 'tea');
  expect(failureText(thrownBy(find), String).hint).toBe(
    '/conversations shows their ids and titles',
  );
});

test('a command to type elsewhere stays as it is', () => {
  const hint = 'wait for it, or go on in a copy: natter --resume x --branch';
  expect(adviceInConversation(hint)).toBe(hint);
});
