import { describe, expect, test } from 'vitest';
import { noticeOf } from '../../src/repl/screen/App.tsx';
import { shortenPromptHint } from '../../src/repl/session.ts';
import type { AnswerOutcome, ReplState } from '../../src/repl/state.ts';
import { printNotice } from '../../src/repl/step.ts';
import { runInApp } from '../support/app.tsx';
import {
  answerEnded,
  conversationOf,
  effectsOf,
  enter,
  escape,
  interrupt,
  lineEntered,
  pasted,
  play,
  pressed,
  printed,
  stateOf,
  type StateChange,
} from '../support/repl-state.ts';

const question = { role: 'user', content: 'one' } as const;
const answered = conversationOf(question, { role: 'assistant', content: 'first answer' });
const ended = (outcome: AnswerOutcome, conversation = answered) =>
  answerEnded(outcome, conversation);
const finished = ended({ type: 'finished' });
const up = pressed('up');
const onEmpty = (...keys: readonly (string | StateChange)[]) => play(stateOf(), ...keys);

describe('Y18: a word that quits other programs', () => {
  test.each(['exit', 'quit', ':q', ':q!', ':qa', ':qa!', ':wq', ':wqa', ':x', ':xa', ' exit '])(
    '%j alone quits after a confirmation',
    (word) => {
      const asked = onEmpty(word, enter);
      expect(asked.effects).toEqual([]);
      expect(noticeOf(asked.state)).toBe('press Enter again to quit');
      expect(play(asked.state, enter)).toMatchObject({ effects: [{ type: 'quit' }], text: '' });
    },
  );

  test('quits during an answer too', () => {
    const { state, sent } = onEmpty('one', enter, 'exit', enter, enter);
    expect([state.hasQuit, sent]).toEqual([true, ['one']]);
  });

  test('needs a new confirmation after any other key', () => {
    const { state, effects } = onEmpty('exit', enter, pressed('left'), enter);
    expect(state).toMatchObject({ hasQuit: false, armed: 'send' });
    expect(effects).toEqual([]);
  });

  test('is ordinary text in a longer prompt', () => {
    expect(onEmpty('exit', enter, ' codes?', enter)).toMatchObject({
      sent: ['exit codes?'],
      text: '',
    });
  });

  test('quits in line mode when it is typed again', () => {
    const asked = play(stateOf({ isLineMode: true }), lineEntered('exit'));
    expect(asked.printed).toEqual(['type exit again to quit; add words to send it as a prompt']);
    expect(play(asked.state, lineEntered('quit')).state.hasQuit).toBe(true);
    expect(play(asked.state, lineEntered('one'), lineEntered('exit')).state).toMatchObject({
      hasQuit: false,
      armed: 'send',
    });
  });
});

test('Ctrl+C cancels a question, and pressed again does not quit', () => {
  const cancel = (state: ReplState) => printNotice({ ...state, dialog: undefined }, 'cancelled');
  const dialog = { type: 'choice', title: 'replace it?', choices: [], cancel } as const;
  const cancelled = runInApp(stateOf({ dialog }), interrupt);
  expect(printed(cancelled.effects)).toEqual(['cancelled']);
  expect(play(cancelled.state, interrupt).state.hasQuit).toBe(false);
});

describe('Enter', () => {
  test('sends the draft, clears the composer and keeps the prompt in the history', () => {
    const { state, effects, text } = onEmpty('one', enter);
    expect(effectsOf(effects, 'send')).toMatchObject([
      { prompt: { type: 'new', content: 'one', parent: undefined } },
    ]);
    expect(effectsOf(effects, 'remember')).toEqual([{ type: 'remember', input: 'one' }]);
    expect(text).toBe('');
    expect(state.activity).toMatchObject({ type: 'answer', phase: 'waiting', model: 'origin' });
  });

  test('sends nothing from an empty composer', () => {
    expect(onEmpty('  ', enter).effects).toEqual([]);
  });

  test.each([
    ['a backslash and Enter', 'one\\', enter],
    ['Shift+Enter', 'one', pressed('enter', { shift: true })],
    ['Alt+Enter', 'one', pressed('enter', { alt: true })],
    ['Ctrl+J', 'one', pressed('j', { ctrl: true })],
  ])('does not send with %s, which start a new line', (_keys, before, key) => {
    expect(onEmpty(before, key, 'two')).toMatchObject({ text: 'one\ntwo', effects: [] });
  });

  test('during an answer queues the prompt, which is sent when the answer ends', () => {
    const queued = onEmpty('one', enter, 'two', enter);
    expect(queued.sent).toEqual(['one']);
    const { state, effects } = play(queued.state, finished);
    expect(effectsOf(effects, 'send')).toMatchObject([
      { prompt: { content: 'two', parent: 't2' } },
    ]);
    expect(state.queue).toEqual([]);
  });

  test('sends a long paste in full and shows its marker', () => {
    const text = Array.from({ length: 100 }, (_, index) => `line ${index}`).join('\n');
    const { effects } = onEmpty(pasted(text), ' what?', enter);
    expect(effectsOf(effects, 'send')).toMatchObject([
      { prompt: { content: `${text} what?`, shown: '[paste #1, 100 lines] what?' } },
    ]);
  });
});

describe('a line that starts with a slash', () => {
  const paste = `/quit\n${'line\n'.repeat(9)}`;

  test('is sent as a prompt if the slash is doubled', () => {
    expect(onEmpty('//etc/hosts says what?', enter).sent).toEqual(['/etc/hosts says what?']);
  });

  test('is text in a paste, in a later session too', () => {
    const { sent, effects } = onEmpty(pasted(paste), enter);
    expect(sent).toEqual([paste]);
    expect(effectsOf(effects, 'remember')).toEqual([{ type: 'remember', input: `/${paste}` }]);
  });

  test('is queued during an answer, unless the command is immediate', () => {
    const { state } = onEmpty('one', enter);
    const waiting = play(state, '/rename', enter);
    expect([waiting.state.queue.length, waiting.printed]).toEqual([1, []]);
    expect(play(state, '/quit', enter).state.hasQuit).toBe(true);
  });
});

describe('an answer that fails', () => {
  const failedWith = (hint?: string) =>
    ended(
      {
        type: 'failed',
        hasText: false,
        failure: { kind: 'server_error', message: 'the service answered 500', hint },
      },
      conversationOf(question),
    );
  const failed = failedWith();

  test.each([
    ['Y18: prints one line with cause and hint', undefined, 'Enter sends it again'],
    ['R2: of a prompt that is too long has its own hint', shortenPromptHint, shortenPromptHint],
  ])('%s, and restores the prompt', (_what, hint, shown) => {
    const { state, effects, text } = onEmpty('one', enter, failedWith(hint));
    expect(effectsOf(effects, 'print').at(-1)?.entries).toMatchObject([
      { message: 'the service answered 500', hint: shown },
    ]);
    expect(text).toBe('one');
    expect(state.activity).toBeUndefined();
  });

  test('keeps text that was typed meanwhile', () => {
    expect(onEmpty('one', enter, 'two', failed).text).toBe('two');
  });

  test('D16 is not part of the path of the next prompt', () => {
    const { effects } = onEmpty('one', enter, failed, enter);
    expect(effectsOf(effects, 'send')[1]?.prompt).toMatchObject({
      content: 'one',
      parent: undefined,
    });
  });

  test('pauses the queue until Enter', () => {
    const { state, sent } = onEmpty('one', enter, 'two', enter, failed);
    expect([sent, state.queue.length]).toEqual([['one'], 1]);
    expect(play({ ...state, composer: stateOf().composer }, enter).sent).toEqual(['two']);
  });
});

describe('Esc and Ctrl+C', () => {
  const streaming = onEmpty('one', enter).state;

  test.each([
    ['Esc', escape],
    ['Ctrl+C', interrupt],
  ])('%s stops the answer', (_name, key) => {
    const { state, effects } = play(streaming, key);
    expect(effects).toEqual([{ type: 'stop' }]);
    expect(state.activity?.isStopping).toBe(true);
  });

  test('print a notice for a stopped answer', () => {
    const stopped = ended({ type: 'stopped', hasText: true });
    expect(play(streaming, escape, stopped).printed).toEqual(['stopped; /continue resumes it']);
  });

  test('Ctrl+C moves the draft to the history', () => {
    expect(onEmpty('draft', interrupt)).toMatchObject({ text: '', state: { hasQuit: false } });
    expect(onEmpty('draft', interrupt, up).text).toBe('draft');
  });

  test.each([
    ['on an empty composer', []],
    ['after a draft', ['draft']],
  ])('P7 Ctrl+C %s quits when it is pressed twice in a row', (_where, keys) => {
    const armed = onEmpty(...keys, interrupt).state;
    expect(armed).toMatchObject({ armed: 'interrupt', hasQuit: false });
    expect(play(armed, interrupt).state.hasQuit).toBe(true);
    expect(play(armed, 'x', interrupt).state.hasQuit).toBe(false);
  });

  test('P7 Ctrl+D quits if the composer is empty, else deletes', () => {
    const control = pressed('d', { ctrl: true });
    expect(onEmpty(control).effects).toEqual([{ type: 'quit' }]);
    expect(onEmpty('ab', pressed('home'), control).text).toBe('b');
  });
});

describe('Up', () => {
  const sent = onEmpty('old', enter, finished).state;

  test('moves within the text before it goes to the history', () => {
    const { state, text } = play(sent, 'one\\', enter, 'two', up, 'X');
    expect([text, play(state, up).text]).toEqual(['oneX\ntwo', 'old']);
  });

  test('never loses the draft', () => {
    expect(play(sent, 'draft', up, pressed('down')).text).toBe('draft');
  });

  test('moves the last queued prompt back to the composer', () => {
    const { state, text } = onEmpty('one', enter, 'two', enter, up);
    expect([text, state.queue]).toEqual(['two', []]);
  });
});
