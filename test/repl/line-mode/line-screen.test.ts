import { setImmediate as tick, setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { serversDialog } from '../../../src/repl/connection.ts';
import { createLineReader, LineScreen } from '../../../src/repl/line-mode/line-screen.ts';
import { expectsPrompt } from '../../../src/repl/line-mode/questions.ts';
import type { Session } from '../../../src/repl/session.ts';
import type { AnswerActivity, Dialog, ReplState } from '../../../src/repl/state.ts';
import { closeDialog } from '../../../src/repl/step.ts';
import { listOf } from '../../support/conversation-lists.ts';
import { openLateInput } from '../../support/late-input.ts';
import { createMemoryContext, createMemoryDevice } from '../../support/memory-context.ts';
import { openMemorySession } from '../../support/memory-session.ts';
import { fc } from '../../support/properties.ts';
import { effectsIn, effectsOf, stateOf, waitingAnswer } from '../../support/repl-state.ts';

function open(width = 80) {
  const { context, stdout } = createMemoryContext();
  const screen = new LineScreen(context, () => width);
  /** Shows each state, and waits until it is written. */
  const show = async (...states: readonly ReplState[]) => {
    for (const state of states) {
      screen.show(state);
      await tick();
    }
  };
  return { screen, show, text: stdout };
}

test('sanitizes the models that a server lists', async () => {
  const { show, text } = open();
  const url = 'http://127.0.0.1:8080';
  const models = ['lla\u001B]0;title\u0007ma'];
  const { service } = stateOf();
  await show(stateOf({ dialog: serversDialog(service, [{ name: 'Ollama', url, models }]) }));
  expect(text()).toContain('  1 use Ollama at http://127.0.0.1:8080 (llama)\n');
});

const streaming: AnswerActivity = { ...waitingAnswer, phase: 'streaming' };

test('reports a stalled answer once, on a separate line', async () => {
  const { screen, show, text } = open();
  screen.write('origin: The kettle');
  await show(stateOf({ activity: streaming, now: 4999 }));
  await show(stateOf({ activity: streaming, now: 5000 }));
  await show(stateOf({ activity: streaming, now: 6000 }));
  screen.write(' boils.\n');
  expect(text()).toBe(
    'origin: The kettle\nnatter: nothing for 5 s; Ctrl+C stops and keeps the text\n boils.\n',
  );
});

test('reports that a stalled answer continues, not that it ends', async () => {
  const { show, text } = open();
  await show(stateOf({ activity: streaming, now: 5000 }));
  await show(stateOf({ activity: { ...streaming, lastAt: 6000 }, now: 6000 }));
  await show(stateOf({ activity: { ...streaming, lastAt: 6000 }, now: 11_000 }));
  await show(stateOf({ now: 12_000 }));
  expect(text().match(/natter: [^;\n]+/g)).toEqual([
    'natter: nothing for 5 s',
    'natter: origin continues',
    'natter: nothing for 5 s',
  ]);
});

test('sanitizes the cause of a retry', async () => {
  const { show, text } = open(100);
  const retry = { cause: 'the service\u001B[2J failed', retry: 1, retries: 4, at: 3000 };
  const activity: AnswerActivity = { ...streaming, phase: 'retrying', retry };
  await show(stateOf({ activity }));
  expect(text()).toBe(
    'natter: the service failed; retry 1 of 4 in 3 s; Enter retries now, Ctrl+C gives up\n',
  );
});

test('the answer to a dialog and to the list of conversations is not a prompt', () => {
  const dialog = serversDialog(stateOf().service, []);
  const states = [stateOf(), stateOf({ dialog }), stateOf({ list: listOf([]) })];
  expect(states.map(expectsPrompt)).toEqual([true, false, false]);
});

test('breaks notices and questions between words', async () => {
  const { show, text } = open(30);
  await show(stateOf({ activity: streaming, now: 5000 }));
  expect(text()).toBe('natter: nothing for 5 s;\nCtrl+C stops and keeps the\ntext\n');
});

function openLineInput() {
  const entered: string[] = [];
  const { device, type } = createMemoryDevice();
  const { session } = openMemorySession({
    repl: (usual) => ({ ...usual, context: { ...usual.context, device, clock: systemClock } }),
  });
  const update: Session['update'] = (change) => {
    const sent = effectsOf(effectsIn(change(session.state())), 'remember');
    entered.push(...sent.map(({ input }) => input));
  };
  new LineScreen(session.context, () => 80).open({ ...session, update }, false);
  return { entered, type };
}

test('reads a hidden line as it is typed, and does not show it', () => {
  const entered: string[] = [];
  const dialog: Dialog = {
    type: 'entry',
    title: 'a new key',
    label: 'API key',
    text: '',
    isHidden: true,
    cancel: closeDialog,
    enter(state, text) {
      entered.push(text);
      return closeDialog(state);
    },
  };
  const { device, type } = createMemoryDevice();
  const { session, text } = openMemorySession({
    repl: (usual) => ({ ...usual, context: { ...usual.context, device } }),
    state: { isLineMode: true, dialog },
  });
  const screen = new LineScreen(session.context, () => 80);
  screen.open(session, false);
  screen.show(session.state());
  for (const keys of ['sec', 'retX', '\u007F', '\r']) type(keys);
  expect(entered).toEqual(['secret']);
  expect(text()).not.toContain('sec');
});

test('joins the lines of a paste even if the process was delayed between them', async () => {
  const { entered, type } = openLineInput();
  const late = await openLateInput((bytes) => type(bytes.toString()));
  type('one\n');
  late.sendWhileBusy('two\n', 80);
  await expect.poll(() => entered).toEqual(['one\ntwo']);
});

test('joins a line that ends with a backslash with the next one, even if that is typed later', async () => {
  const { entered, type } = openLineInput();
  type('one\\\ntwo\\\n');
  await sleep(100);
  expect(entered).toEqual([]);
  type('three\n');
  await expect.poll(() => entered).toEqual(['one\ntwo\nthree']);
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
