import { expect, test } from 'vitest';
import { Failure } from '../../src/failure.ts';
import { refusedWindow } from '../../src/usage/windows.ts';

/** Tokens of a request that is longer than all windows here. */
const long = 2_000_000;

const learned = (message: string, size = long, contextWindow?: number) =>
  refusedWindow(
    new Failure('invalid_request', message, contextWindow === undefined ? {} : { contextWindow }),
    size,
  );

test.each([
  ["This model's maximum context length is 8192 tokens. However, you requested 9001 tokens", 8192],
  ['request (5012 tokens) exceeds the available context size (4096 tokens)', 4096],
  ['The input has 31430 tokens, but the context length only supports 30000 tokens.', 30_000],
  ['Prompt contains 40000 tokens, too large for model with 32,768 maximum context length', 32_768],
  ['prompt is too long: 210000 tokens > 200000 maximum', 200_000],
  ['The input token count (1100000) exceeds the maximum number of tokens (1048576).', 1_048_576],
  ['Requested tokens (9001) exceed context window of 8192', 8192],
  ['context window: 235681 tokens, over the 128000', 128_000],
  ['the prompt is 1200 tokens over the limit of 8192', 8192],
  ['the context length was exceeded by 1200 tokens', undefined],
  ['the maximum context length was exceeded by 1200 tokens', undefined],
  ['the prompt is over the limit by 1200 tokens', undefined],
  ['context length limit exceeded: 9001', undefined],
  ["the model's maximum context is 8192 tokens, and its maximum answer has 4096", undefined],
  ['context length exceeded: 7', undefined],
  ['the context window is full', undefined],
  ['max_tokens must be at most 4096', undefined],
])('N1: the refusal %j names the window %j', (message, window) => {
  expect(learned(message)).toBe(window);
  expect(refusedWindow(new Failure('server_error', message), long)).toBeUndefined();
});

test('N1: a window is smaller than the refused prompt, as the service or natter counted it', () => {
  expect(learned('the context window of 8192 tokens is full', 8193)).toBe(8192);
  expect(learned('the context window of 8192 tokens is full', 8192)).toBeUndefined();
  expect(learned('9000 tokens exceed the context window of 8192', 6000)).toBe(8192);
});

test('N1: a field of its own counts more than the message', () => {
  const message = 'the prompt has 9000 tokens, over the maximum of 8000';
  expect(learned(message, 6000, 4096)).toBe(4096);
  expect(learned(message, 6000, 128_000)).toBeUndefined();
});
