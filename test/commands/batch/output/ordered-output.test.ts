import { expect, test } from 'vitest';
import { createOrderedOutput } from '../../../../src/commands/batch/output/sink.ts';
import { expectForAll, fc } from '../../../support/properties.ts';

/** An output that expects these numbers. */
function open(...numbers: readonly number[]) {
  const written: string[] = [];
  const output = createOrderedOutput((text) => void written.push(text));
  for (const number of numbers) void output.expect(number);
  return { output, text: () => written.join('') };
}

test('results that arrive in any order are written in item order', () => {
  const numbers = [...Array(20).keys()].map((number) => 3 * number);
  expectForAll(fc.shuffledSubarray(numbers, { minLength: 20 }), (order) => {
    const { output, text } = open(...numbers);
    for (const number of order) void output.put(number, `${number},`);
    return text() === numbers.map((number) => `${number},`).join('');
  });
});

test('a result is written as soon as all earlier ones are written', () => {
  const { output, text } = open(0, 1, 2);
  void output.put(0, 'a');
  expect(text()).toBe('a');
  void output.put(2, 'c');
  expect(text()).toBe('a');
  void output.put(1, 'b');
  expect(text()).toBe('abc');
});

test('the end writes results that wait for a missing one', () => {
  const { output, text } = open(0, 1, 3);
  void output.put(3, 'd');
  void output.put(1, 'b');
  void output.end();
  expect(text()).toBe('bd');
});

test('there is no room while the buffer is full, and only a result that makes room wakes the waiting reader', async () => {
  const { output } = open(0, 1, 3);
  const large = 'x'.repeat(1 << 24);
  void output.put(1, large);
  expect(output.expect(5)).toBeUndefined();
  void output.put(3, large);
  let hasRoom = false;
  void output.expect(6)?.then(() => (hasRoom = true));
  void output.put(5, 'small');
  await new Promise((resolve) => setImmediate(resolve));
  expect(hasRoom).toBe(false);
  void output.put(0, 'first');
  await new Promise((resolve) => setImmediate(resolve));
  expect(hasRoom).toBe(true);
});
