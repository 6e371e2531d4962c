import { expect, test } from 'vitest';
import { serversDialog } from '../../../src/repl/connection.ts';
import { expectsPrompt, LineScreen } from '../../../src/repl/line-mode/line-screen.ts';
import type { AnswerActivity } from '../../../src/repl/state.ts';
import { listOf } from '../../support/conversation-lists.ts';
import { stateOf } from '../../support/repl-state.ts';

function open(width = 80) {
  const written: string[] = [];
  const screen = new LineScreen({
    write: (text) => void written.push(text),
    width: () => width,
    defer: (act) => act(),
    suspend: () => undefined,
    input: () => undefined,
  });
  return { screen, text: () => written.join('') };
}

test('sanitizes the models that a server lists', () => {
  const { screen, text } = open();
  const url = 'http://127.0.0.1:8080';
  const models = ['lla\u001B]0;title\u0007ma'];
  const { service } = stateOf();
  screen.show(stateOf({ dialog: serversDialog(service, [{ name: 'Ollama', url, models }]) }));
  expect(text()).toContain('  1 use Ollama at http://127.0.0.1:8080 (llama)\n');
});

const streaming: AnswerActivity = {
  type: 'answer',
  phase: 'streaming',
  model: 'origin',
  since: 0,
  lastAt: 0,
  tokens: 0,
  undecided: '',
  isStopping: false,
  draft: undefined,
  files: [],
};

test('reports a stalled answer once, on a separate line', () => {
  const { screen, text } = open();
  screen.write('origin: The kettle');
  screen.show(stateOf({ activity: streaming, now: 4999 }));
  screen.show(stateOf({ activity: streaming, now: 5000 }));
  screen.show(stateOf({ activity: streaming, now: 6000 }));
  screen.write(' boils.\n');
  expect(text()).toBe(
    'origin: The kettle\nnatter: nothing for 5 s; Ctrl+C stops and keeps the text\n boils.\n',
  );
});

test('reports that a stalled answer continues, not that it ends', () => {
  const { screen, text } = open();
  screen.show(stateOf({ activity: streaming, now: 5000 }));
  screen.show(stateOf({ activity: { ...streaming, lastAt: 6000 }, now: 6000 }));
  screen.show(stateOf({ activity: { ...streaming, lastAt: 6000 }, now: 11_000 }));
  screen.show(stateOf({ now: 12_000 }));
  expect(text().match(/natter: [^;\n]+/g)).toEqual([
    'natter: nothing for 5 s',
    'natter: origin continues',
    'natter: nothing for 5 s',
  ]);
});

test('reports a second stall of the same answer', () => {
  const { screen, text } = open();
  screen.show(stateOf({ activity: streaming, now: 5000 }));
  screen.show(stateOf({ activity: { ...streaming, lastAt: 6000 }, now: 11_000 }));
  expect(text().match(/nothing for 5 s/g)).toHaveLength(2);
});

test('sanitizes the cause of a retry', () => {
  const { screen, text } = open(100);
  const retry = { cause: 'the service\u001B[2J failed', retry: 1, retries: 4, at: 3000 };
  const activity: AnswerActivity = { ...streaming, phase: 'retrying', retry };
  screen.show(stateOf({ activity }));
  expect(text()).toBe(
    'natter: the service failed; retry 1 of 4 in 3 s; Enter retries now, Ctrl+C gives up\n',
  );
});

test('the answer to a dialog and to the list of conversations is not a prompt', () => {
  const dialog = serversDialog(stateOf().service, []);
  const states = [stateOf(), stateOf({ dialog }), stateOf({ list: listOf([]) })];
  expect(states.map(expectsPrompt)).toEqual([true, false, false]);
});

test('breaks notices and questions between words', () => {
  const { screen, text } = open(30);
  screen.show(stateOf({ activity: streaming, now: 5000 }));
  expect(text()).toBe('natter: nothing for 5 s;\nCtrl+C stops and keeps the\ntext\n');
});
