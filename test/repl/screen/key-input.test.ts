import { expect, test } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import type { KeyEvent } from '../../../src/repl/composer/keys/key-event.ts';
import { createKeyInput } from '../../../src/repl/screen/key-input.ts';
import { openLateInput } from '../../support/late-input.ts';
import { formatEvents } from '../composer/keys/format-events.ts';

function openKeyInput() {
  const seen: KeyEvent[] = [];
  const input = createKeyInput(
    systemClock,
    (events) => seen.push(...events),
    () => undefined,
  );
  return { input, seen };
}

test('a lone Esc is a key after the timeout', async () => {
  const { input, seen } = openKeyInput();
  input.feed(Buffer.from('\u001B'));
  expect(seen).toEqual([]);
  await expect.poll(() => formatEvents(seen)).toBe('<escape>');
});

test('a sequence whose rest arrives while the process is busy is one key', async () => {
  const { input, seen } = openKeyInput();
  const late = await openLateInput((bytes) => input.feed(bytes));
  input.feed(Buffer.from('\u001B'));
  late.sendWhileBusy('[A', 100);
  await expect.poll(() => formatEvents(seen)).toBe('<up>');
});

test('lines that arrive in one read are one paste without bracketed paste', () => {
  const { input, seen } = openKeyInput();
  input.feed(Buffer.from('first\rsecond'));
  input.stop();
  expect(seen).toMatchObject([{ type: 'paste', text: 'first\nsecond' }]);
});

test('a line and its Enter in one read are not a paste', () => {
  const { input, seen } = openKeyInput();
  input.feed(Buffer.from('first\r'));
  input.stop();
  expect(formatEvents(seen)).toBe('"first" <enter>');
});
