import { expect, test } from 'vitest';
import { serversDialog } from '../../../src/repl/state/dialog.ts';
import { createLineScreen } from '../../../src/repl/line-mode/line-screen.ts';
import type { AnswerActivity } from '../../../src/repl/state/state.ts';
import { stateOf } from '../../support/repl-state.ts';

function open() {
  const written: string[] = [];
  const screen = createLineScreen({
    write: (text) => void written.push(text),
    defer: (act) => act(),
    lend: (use) => use(),
    suspend: () => undefined,
    close: async () => undefined,
  });
  return { screen, text: () => written.join('') };
}

test('sanitizes the models that a server lists', () => {
  const { screen, text } = open();
  const url = 'http://127.0.0.1:8080';
  const models = ['lla\u001B]0;title\u0007ma'];
  screen.show(stateOf({ dialog: serversDialog([{ name: 'Ollama', url, models }]) }));
  expect(text()).toContain('  1 use Ollama at http://127.0.0.1:8080 (llama)\n');
});

test('sanitizes the cause of a retry', () => {
  const { screen, text } = open();
  const retry = { cause: 'the service\u001B[2J failed', retry: 1, retries: 4, at: 3000 };
  const activity: AnswerActivity = {
    type: 'answer',
    phase: 'retrying',
    model: 'origin',
    since: 0,
    lastAt: 0,
    tokens: 0,
    retry,
    undecided: '',
    isStopping: false,
    draft: undefined,
    files: [],
  };
  screen.show(stateOf({ activity }));
  expect(text()).toBe('natter: the service failed; retry 1 of 4 in 3 s\n');
});
