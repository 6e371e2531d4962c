import { expect, test } from 'vitest';
import {
  contextFit,
  refuseImpossible,
  smallestModelFor,
} from '../../src/conversation/context-fit.ts';

test.each([
  ['origin', 102_399, 'fits'],
  ['origin', 102_400, 'near'],
  ['origin', 128_000, 'near'],
  ['origin', 128_001, 'over'],
  ['nextgen', 128_001, 'fits'],
  ['nextgen', 1_000_001, 'over'],
  ['foreign', 99_999_999, 'fits'],
])('%s with %d tokens: %s', (model, estimate, state) => {
  expect(contextFit(model, estimate).state).toBe(state);
});

test.each([
  [0, 'origin'],
  [128_000, 'origin'],
  [128_001, 'nextgen'],
  [5_000_000, 'nextgen'],
])('the smallest model for %d tokens is %s', (tokens, model) => {
  expect(smallestModelFor(tokens)).toBe(model);
});

const over = "~130,000 tokens, over origin's window of 128,000; -m nextgen has a larger window";
test.each([
  ['origin', 10, undefined],
  ['origin', 130_000, over],
  ['nextgen', 900_000, "~900,000 tokens, near nextgen's window of 1,000,000"],
  ['foreign', 900_000, undefined],
])('the warning for %s with %d tokens is %s', (model, estimate, warning) => {
  expect(contextFit(model, estimate).warning).toBe(warning);
});

test('a prompt is refused only if it fits with no tokenizer', () => {
  expect(() => refuseImpossible('origin', 16_384_000)).not.toThrow();
  expect(() => refuseImpossible('foreign', 1e12)).not.toThrow();
  expect(() => refuseImpossible('origin', 16_384_001)).toThrow(/16,384,001 bytes/);
  expect(() => refuseImpossible('nextgen', 128_000_001)).toThrow(
    expect.objectContaining({ hint: 'send less text; natter --split auto sends it in pieces' }),
  );
});

test('in a conversation without a larger model, the warning names /compact', () => {
  const windows = new Map([['origin', 400]]);
  expect(contextFit('origin', 756, windows, '/model').warning).toBe(
    "~756 tokens, over origin's window of 400; /compact replaces the older turns with a summary",
  );
  expect(contextFit('origin', 756, windows).warning).toBe(
    "~756 tokens, over origin's window of 400",
  );
});
