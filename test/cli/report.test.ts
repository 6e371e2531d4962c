import { expect, test } from 'vitest';
import { commandHints, describeFailure, nameProfile } from '../../src/cli/report.ts';
import { Failure } from '../../src/failure.ts';
import { hintOf } from '../../src/output/ending-failure.ts';
import { replHints } from '../../src/repl/session.ts';
import { createMemoryContext } from '../support/memory-context.ts';
import { expectNoSecret, secretForms, secretKey } from '../support/secret.ts';

test('a failure is a line and a hint, both sanitized and masked', () => {
  const { context } = createMemoryContext({ environment: { NATTER_API_KEY: 'nk-secret-key' } });
  const failure = new Failure('not_found', 'no \u001B[31m nk-secret-key', {
    hint: 'look\nthere',
  });
  const report = { text: 'natter: no  ***\n  look there\n', exitCode: 6 };
  expect(describeFailure(failure, context, [])).toEqual(report);
});

test.each([
  ['natter auth login', {}, 'set the key with natter auth login'],
  [
    'the variable that has the key',
    { NATTER_API_KEY: 'wrong' },
    'the key is from NATTER_API_KEY: correct it, or unset it to use a stored key (natter auth login)',
  ],
])('the hint of a refused key names %s', (_, environment, hint) => {
  const { context } = createMemoryContext({ environment });
  const failure = new Failure('unauthorized', 'no', { remedy: { code: 'sign-in' } });
  expect(describeFailure(failure, context, []).text).toBe(`natter: no\n  ${hint}\n`);
});

test.each<[string, readonly string[], Record<string, string>, string]>([
  ['--profile work', ['--profile', 'work', 'hi'], {}, ' --profile work'],
  ['--profile=work', ['hi', '--profile=work'], {}, ' --profile work'],
  ['NATTER_PROFILE', ['hi'], { NATTER_PROFILE: 'work' }, ' --profile work'],
  ['no profile', ['hi', '--', '--profile', 'work'], {}, ''],
])('the commands of a hint name the profile that failed: %s', (_, words, environment, option) => {
  const { context } = createMemoryContext({ environment });
  const failure = new Failure('unauthorized', 'no', { remedy: { code: 'sign-in' } });
  const { text } = describeFailure(failure, context, words);
  expect(text).toContain(`set the key with natter auth login${option}\n`);
});

const limited = {
  status: 429,
  retryAfterSeconds: 3,
  requestId: 'r-1',
  hint: 'wait',
} as const;

test('a failure names the request; with --json it is one JSON line with every detail', () => {
  const { context } = createMemoryContext();
  const failure = new Failure('rate_limited', 'slow', { ...limited, attempts: 2 });
  expect(describeFailure(failure, context, []).text).toBe('natter: slow (request r-1)\n  wait\n');
  const { text, exitCode } = describeFailure(failure, context, ['hi', '--json']);
  expect(exitCode).toBe(8);
  expect(JSON.parse(text)).toEqual({
    error: {
      kind: 'rate_limited',
      status: 429,
      message: 'slow',
      hint: 'wait',
      retry_after: 3,
      request_id: 'r-1',
      attempts: 2,
    },
  });
});

test('P24 an unexpected error has no stack', () => {
  const { context } = createMemoryContext();
  const { text, exitCode } = describeFailure(new TypeError('x is not a function'), context, []);
  expect(text).toMatch(/^natter: unexpected error: x is not a function\n {2}run it again/);
  expect(text).not.toContain('at ');
  expect(exitCode).toBe(1);
});

test('with NATTER_DEBUG a failure has the stacks of its causes', () => {
  const { context } = createMemoryContext({ environment: { NATTER_DEBUG: '1' } });
  const failure = new Failure('unexpected', 'outer', { cause: new Error('inner') });
  const { text } = describeFailure(failure, context, []);
  expect(text).toMatch(/Failure: outer\n.*at /);
  expect(text).toContain('Error: inner');
});

const echo = secretForms.join(' ');

test.each([
  ['an unexpected error', new Error(echo, { cause: new TypeError(echo) })],
  ['a failure with a hint and a cause', new Failure('usage', echo, { hint: echo, cause: echo })],
  ['a thrown text', echo],
])('X2: the report of %s contains no secret', (_, thrown) => {
  const environment = { NATTER_API_KEY: secretKey, NATTER_DEBUG: '1' };
  const { context } = createMemoryContext({ environment });
  for (const words of [['hi'], ['hi', '--json']]) {
    const { text } = describeFailure(thrown, context, words);
    expect(text).toContain('***');
    expectNoSecret(text);
  }
});

test.each<[string, boolean]>([
  [
    "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    true,
  ],
  ['unsupported parameter: "max_tokens"', true],
  ['max_tokens is too large: 90000. This model supports at most 16384 completion tokens', false],
  ["Unsupported parameter: 'max_completion_tokens'. Use 'max_tokens' instead.", false],
])('N4: after %j the hint names max_completion_tokens: %j', (message, isNamed) => {
  const { context } = createMemoryContext();
  const failure = new Failure('invalid_request', message, { remedy: { code: 'check-request' } });
  const hint = 'omit -t, or send the limit with --param max_completion_tokens=500\n';
  expect(describeFailure(failure, context, []).text.endsWith(hint)).toBe(isNamed);
});

test.each([
  [
    '‹natter config set prices.origin "0.5/1.5 USD"›',
    '‹natter config set prices.origin "0.5/1.5 USD" --profile work›',
  ],
  [
    "‹natter config set system 'Be brief, please'›, or try again",
    "‹natter config set system 'Be brief, please' --profile work›, or try again",
  ],
  [
    '‹natter config set budget 1usd/day›; ‹natter auth status›',
    '‹natter config set budget 1usd/day --profile work›; ‹natter auth status --profile work›',
  ],
])('the profile in the commands of a hint follows the whole value: %s', (hint, expected) => {
  expect(nameProfile(hint, 'work')).toBe(expected);
});

const hintFor = (baseUrl: string) => {
  const remedy = { code: 'set-base-url', baseUrl } as const;
  const failure = new Failure('configuration', 'redirected', { remedy });
  const [command, repl] = [commandHints, replHints].map((words) => hintOf(failure, words));
  expect(repl).toBe(command);
  return command;
};

test.each(['https://api.example.com', 'http://[::1]:8080/a_b/~c-d%20e'])(
  'offers a command to set the base URL to %s',
  (url) => {
    expect(hintFor(url)).toContain(`natter config set base-url ${url}`);
  },
);

test.each(['$(id)', ';id', '&id', "'", '`id`', 'a b', '\nid', '…'])(
  'offers no command with %j in the URL, which a shell could interpret',
  (text) => {
    expect(hintFor(`https://a.test/${text}`)).toBe(
      'if that address is right, set it as the base URL',
    );
  },
);
