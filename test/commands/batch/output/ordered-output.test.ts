import { expect, test } from 'vitest';
import { createOrderedOutput } from '../../../../src/commands/batch/output/sink.ts';
import { fc } from '../../../support/properties.ts';

function open() {
  const written: string[] = [];
  const output = createOrderedOutput((text) => void written.push(text));
  return { output, text: () => written.join('') };
}

test('results that arrive in any order are written in item order', () => {
  const orders = fc.shuffledSubarray([...Array(20).keys()], { minLength: 20 });
  fc.assert(
    fc.property(orders, (order) => {
      const { output, text } = open();
      for (const number of order) void output.put(number, `${number},`);
      return text() === [...Array(20).keys()].map((number) => `${number},`).join('');
    }),
  );
});

test('a result is written as soon as all earlier ones are written', () => {
  const { output, text } = open();
  void output.put(0, 'a');
  expect(text()).toBe('a');
  void output.put(2, 'c');
  expect(text()).toBe('a');
  void output.put(1, 'b');
  expect(text()).toBe('abc');
});

test('the end writes results that wait for a missing one', () => {
  const { output, text } = open();
  void output.put(3, 'd');
  void output.put(1, 'b');
  void output.end();
  expect(text()).toBe('bd');
});

test('there is no room while the buffer is full, and only a result that makes room wakes the waiting reader', async () => {
  const { output } = open();
  const large = 'x'.repeat(1 << 24);
  void output.put(1, large);
  expect(output.room()).toBeUndefined();
  void output.put(3, large);
  let hasRoom = false;
  void output.room()?.then(() => (hasRoom = true));
  void output.put(5, 'small');
  await new Promise((resolve) => setImmediate(resolve));
  expect(hasRoom).toBe(false);
  void output.put(0, 'first');
  await new Promise((resolve) => setImmediate(resolve));
  expect(hasRoom).toBe(true);
});
