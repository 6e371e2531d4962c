import { expect, test } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { createLineInput } from '../../../src/repl/line-mode/line-input.ts';
import { openLateInput } from '../../support/busy-process.ts';
import { createMemoryDevice } from '../../support/memory-device.ts';

function openLineInput() {
  const entered: string[] = [];
  const { device, type } = createMemoryDevice();
  const input = createLineInput({
    device,
    clock: systemClock,
    dispatch: (action) => {
      if (action.type === 'line-entered') entered.push(action.text);
    },
    isSecret: () => false,
    onEntered: () => undefined,
    endSecretLine: () => undefined,
  });
  input.start();
  return { entered, type };
}

test('lines of a paste are one text although the process was held up between them', async () => {
  const { entered, type } = openLineInput();
  const late = await openLateInput((bytes) => type(bytes.toString()));
  type('one\n');
  late.sendWhileBusy('two\n', 80);
  await expect.poll(() => entered).toEqual(['one\ntwo']);
});
