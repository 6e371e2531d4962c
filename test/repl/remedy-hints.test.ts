import { expect, test } from 'vitest';
import { errorNames } from '../../src/client/contract.ts';
import { idleTimedOut } from '../../src/client/failure/answer-failure.ts';
import { connectTimedOut } from '../../src/client/failure/network-failure.ts';
import { serviceFailure } from '../../src/client/failure/service-failure.ts';
import { createRoute } from '../../src/client/http/route.ts';
import { findConversation } from '../../src/conversation/library/library.ts';
import { Failure } from '../../src/failure.ts';
import { commonHints } from '../../src/output/ending-failure.ts';
import { failureText, replHints } from '../../src/repl/session.ts';
import { createMemoryContext } from '../support/memory-context.ts';

function thrownBy(act: () => unknown): unknown {
  try {
    return act();
  } catch (error) {
    return error;
  }
}

const { context } = createMemoryContext();

const hintAfter = (status: number) => {
  const failure = serviceFailure(
    { status, headers: {}, text: '' },
    new Date(0),
    { method: 'POST', url: new URL('https://api.test/v1/chat/completions'), headers: {} },
    String,
  );
  return failureText(failure, context).hint ?? '';
};

test.each(Object.keys(errorNames).map(Number))(
  'the hint after status %d names an option only for the next start of natter',
  (status) => {
    expect(hintAfter(status)).not.toMatch(/natter (?:models|auth|conversations)|--dry-run/);
    expect(hintAfter(status).includes('--')).toBe(hintAfter(status).includes('restart natter'));
  },
);

test('an invalid request is changed with slash commands', () => {
  expect(hintAfter(400)).toBe('/model, /system and /param change what is sent');
});

test('the hint for an unreachable service names no command', () => {
  const failure = connectTimedOut(createRoute(new URL('https://service.test'), {}), 1000);
  expect(failureText(failure, context).hint).toBe('check the base URL and the network');
});

test('a limit that only an option changes needs a restart', () => {
  expect(failureText(idleTimedOut(5000), context).hint).toBe(
    'try again, or restart natter with a longer --idle-timeout',
  );
});

test('an unknown conversation points to the list in the REPL', () => {
  const find = () => findConversation('/nowhere', 'tea');
  expect(failureText(thrownBy(find), context).hint).toBe('/resume shows their ids and titles');
});

test('the hint of a failure without a remedy stays as it is', () => {
  const hint = 'wait for it, or continue in a copy: natter --resume x --branch';
  expect(failureText(new Failure('storage', 'in use', { hint }), context).hint).toBe(hint);
});

test('a remedy that only a newer natter knows has no hint', () => {
  const remedy = { code: 'from-the-future' } as never;
  expect(failureText(new Failure('unreachable', 'cut', { remedy }), context).hint).toBeUndefined();
});

test('the shared words name no command, option or key', () => {
  const data = { option: 'retries', scheme: 'http', variable: 'HTTP_PROXY' } as never;
  for (const words of Object.values(commonHints)) {
    expect(words(data)).not.toMatch(
      /natter (?:models|auth|config|conversations) |(?:^| )-{1,2}[a-z]|(?:^| )\/[a-z]/,
    );
  }
});

test('no hint of the REPL names a command that it has as a slash command', () => {
  const data = { limit: 'idleTimeout', time: '12:00:00', seconds: 1, baseUrl: 'b', file: 'f' };
  for (const words of Object.values(replHints)) {
    expect((words as (data: object) => string)(data)).not.toMatch(
      /natter (?:models|conversations|auth)|(?<!restart natter with(?:out)? .*)--/,
    );
  }
});
