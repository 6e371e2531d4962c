import { expect, test } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import {
  createLineReader,
  joinContinued,
  LineScreen,
} from '../../../src/repl/line-mode/line-screen.ts';
import type { Session } from '../../../src/repl/session.ts';
import { openLateInput } from '../../support/late-input.ts';
import { createMemoryDevice } from '../../support/memory-context.ts';
import { openMemorySession } from '../../support/memory-session.ts';
import { fc } from '../../support/properties.ts';

function openLineInput() {
  const entered: string[] = [];
  const { device, type } = createMemoryDevice();
  const { session } = openMemorySession({
    repl: (usual) => ({ ...usual, context: { ...usual.context, device, clock: systemClock } }),
  });
  const dispatch: Session['dispatch'] = (action) => {
    if (action.type === 'line-entered') entered.push(action.text);
  };
  new LineScreen(session.context, () => 80).open({ ...session, dispatch }, false);
  return { entered, type };
}

test('joins the lines of a paste even if the process was delayed between them', async () => {
  const { entered, type } = openLineInput();
  const late = await openLateInput((bytes) => type(bytes.toString()));
  type('one\n');
  late.sendWhileBusy('two\n', 80);
  await expect.poll(() => entered).toEqual(['one\ntwo']);
});

test('reads the same lines however their bytes are split', () => {
  const text = 'one\ntwö 🙂\r\nthree\n\nfour';
  const bytes = Buffer.from(text);
  fc.assert(
    fc.property(fc.array(fc.nat(bytes.length), { maxLength: 8 }), (cuts) => {
      const reader = createLineReader();
      const points = [0, ...[...cuts].sort((one, other) => one - other), bytes.length];
      const lines = points
        .slice(1)
        .flatMap((end, index) => reader.feed(bytes.subarray(points[index], end)));
      expect([...lines, reader.end()]).toEqual(['one', 'twö 🙂', 'three', '', 'four']);
    }),
  );
});

test.each([
  [['a', 'b'], ['a', 'b'], []],
  [['a\\', 'b'], ['a\nb'], []],
  [['a', 'b\\'], ['a'], ['b\\']],
])('joins the continued lines of %j', (lines, whole, open) => {
  expect(joinContinued(lines)).toEqual({ whole, open });
});
