import { describe, expect, test } from 'vitest';
import { noticeOf } from '../../src/repl/screen/notice.ts';
import type { AnswerOutcome, ReplState } from '../../src/repl/state.ts';
import { shortenPromptHint } from '../../src/repl/session.ts';
import { printNotice } from '../../src/repl/step.ts';
import { runInApp } from '../support/app.tsx';
import {
  answerEnded,
  composed,
  conversationOf,
  effectsOf,
  enter,
  escape,
  interrupt,
  lineEntered,
  pasted,
  pressed,
  printed,
  promptMissing,
  run,
  stateOf,
  typed,
} from '../support/repl-state.ts';

describe('Y18: a word that quits other programs', () => {
  test.each(['exit', 'quit', ':q', ':q!', ':qa', ':qa!', ':wq', ':wqa', ':x', ':xa', ' exit '])(
    '%j alone quits after a confirmation',
    (word) => {
      const asked = run(stateOf(), typed(word), enter);
      expect(asked.effects).toEqual([]);
      expect(noticeOf(asked.state)).toBe('press Enter again to quit');
      const left = run(asked.state, enter);
      expect(left.effects).toEqual([{ type: 'quit' }]);
      expect(composed(left.state)).toBe('');
    },
  );

  test('quits during an answer too', () => {
    const { state, effects } = run(stateOf(), typed('one'), enter, typed('exit'), enter, enter);
    expect(state.hasQuit).toBe(true);
    expect(effectsOf(effects, 'send')).toHaveLength(1);
  });

  test('needs a new confirmation after any other key', () => {
    const { state, effects } = run(stateOf(), typed('exit'), enter, pressed('left'), enter);
    expect([state.hasQuit, state.isExitWordEntered]).toEqual([false, true]);
    expect(effects).toEqual([]);
  });

  test('is ordinary text in a longer prompt', () => {
    const { state, effects } = run(stateOf(), typed('exit'), enter, typed(' codes?'), enter);
    expect(effectsOf(effects, 'send')[0]?.prompt).toMatchObject({ content: 'exit codes?' });
    expect(composed(state)).toBe('');
  });

  test('quits in line mode when it is typed again', () => {
    const start = stateOf({ isLineMode: true });
    const asked = run(start, lineEntered('exit'));
    expect(printed(asked.effects)).toEqual([
      'type exit again to quit; add words to send it as a prompt',
    ]);
    expect(run(asked.state, lineEntered('quit')).state.hasQuit).toBe(true);
    const { state } = run(asked.state, lineEntered('one'), lineEntered('exit'));
    expect([state.hasQuit, state.isExitWordEntered]).toEqual([false, true]);
  });
});

test('Ctrl+C cancels a question, and pressed again does not quit', () => {
  const cancel = (state: ReplState) => printNotice({ ...state, dialog: undefined }, 'cancelled');
  const dialog = { type: 'choice', title: 'replace it?', choices: [], cancel } as const;
  const cancelled = runInApp(stateOf({ dialog }), interrupt);
  expect(printed(cancelled.effects)).toEqual(['cancelled']);
  expect(run(cancelled.state, interrupt).state.hasQuit).toBe(false);
});

const answered = conversationOf(
  { role: 'user', content: 'one' },
  { role: 'assistant', content: 'first answer' },
);

const ended = (outcome: AnswerOutcome, conversation = answered) =>
  answerEnded(outcome, conversation);

const finished = ended({ type: 'finished' });

describe('Enter', () => {
  test('sends the draft and clears the composer', () => {
    const { state, effects } = run(stateOf(), typed('one'), enter);
    expect(effectsOf(effects, 'send')[0]?.prompt).toMatchObject({
      type: 'new',
      content: 'one',
      parent: undefined,
    });
    expect(composed(state)).toBe('');
    expect(state.activity).toMatchObject({ type: 'answer', phase: 'waiting', model: 'origin' });
  });

  test('sends nothing from an empty composer', () => {
    expect(run(stateOf(), typed('  '), enter).effects).toEqual([]);
  });

  test('after a backslash starts a new line', () => {
    const { state, effects } = run(stateOf(), typed('one\\'), enter, typed('two'));
    expect(composed(state)).toBe('one\ntwo');
    expect(effects).toEqual([]);
  });

  test.each([
    ['Shift+Enter', pressed('enter', { shift: true })],
    ['Alt+Enter', pressed('enter', { alt: true })],
    ['Ctrl+J', pressed('j', { ctrl: true })],
  ])('%s starts a new line', (_name, key) => {
    expect(composed(run(stateOf(), typed('one'), key, typed('two')).state)).toBe('one\ntwo');
  });

  test('during an answer queues the prompt, which is sent when the answer ends', () => {
    const queued = run(stateOf(), typed('one'), enter, typed('two'), enter);
    expect(effectsOf(queued.effects, 'send')).toHaveLength(1);
    expect(queued.state.queue).toHaveLength(1);
    const next = run(queued.state, finished);
    expect(effectsOf(next.effects, 'send')[0]?.prompt).toMatchObject({
      content: 'two',
      parent: 't2',
    });
    expect(next.state.queue).toEqual([]);
  });

  test('sends a long paste in full and shows its marker', () => {
    const text = Array.from({ length: 100 }, (_, index) => `line ${index}`).join('\n');
    const { effects } = run(stateOf(), pasted(text), typed(' what?'), enter);
    expect(effectsOf(effects, 'send')[0]?.prompt).toMatchObject({
      content: `${text} what?`,
      shown: '[paste #1, 100 lines] what?',
    });
  });

  test('adds sent prompts to the history', () => {
    const { effects } = run(stateOf(), typed('one'), enter);
    expect(effectsOf(effects, 'remember')).toEqual([{ type: 'remember', input: 'one' }]);
  });
});

describe('a line that starts with a slash', () => {
  test('is a command', () => {
    const { effects, state } = run(stateOf(), typed('/rename'), enter);
    expect(effectsOf(effects, 'send')).toEqual([]);
    expect(printed(effects)[0]).toMatch(/^this conversation has no title/);
    expect(state.activity).toBeUndefined();
  });

  test('is sent as a prompt if the slash is doubled', () => {
    const { effects } = run(stateOf(), typed('//etc/hosts says what?'), enter);
    expect(effectsOf(effects, 'send')[0]?.prompt).toMatchObject({
      content: '/etc/hosts says what?',
    });
  });

  test('is refused for an unknown command, with suggestions', () => {
    const missing = promptMissing('modle', 'nextgen');
    const { effects } = run(stateOf(), typed('/modle nextgen'), enter, missing);
    expect(printed(effects)).toEqual(['unknown command /modle']);
    expect(effects.at(-1)).toMatchObject({
      entries: [{ hint: expect.stringContaining('did you mean /model? //') }],
    });
  });

  test('is text in a paste', () => {
    const { effects } = run(stateOf(), pasted(`/quit\n${'line\n'.repeat(9)}`), enter);
    expect(effectsOf(effects, 'send')).toHaveLength(1);
  });

  test('is text in a paste in a later session too', () => {
    const text = `/quit\n${'line\n'.repeat(9)}`;
    const { effects } = run(stateOf(), pasted(text), enter);
    expect(effectsOf(effects, 'remember')).toEqual([{ type: 'remember', input: `/${text}` }]);
  });

  test('is queued during an answer, unless the command is immediate', () => {
    const start = run(stateOf(), typed('one'), enter).state;
    const waiting = run(start, typed('/rename'), enter);
    expect(waiting.state.queue).toHaveLength(1);
    expect(printed(waiting.effects)).toEqual([]);
    expect(run(start, typed('/quit'), enter).state.hasQuit).toBe(true);
  });
});

describe('an answer that fails', () => {
  const failure = { kind: 'server_error', message: 'the service answered 500' } as const;
  const failed = ended(
    { type: 'failed', hasText: false, failure },
    conversationOf({ role: 'user', content: 'one' }),
  );

  test('Y18: prints one line with cause and hint, and restores the prompt', () => {
    const { state, effects } = run(stateOf(), typed('one'), enter, failed);
    expect(printed(effects)).toEqual(['the service answered 500']);
    expect(effects.at(-1)).toMatchObject({ entries: [{ hint: 'Enter sends it again' }] });
    expect(composed(state)).toBe('one');
    expect(state.activity).toBeUndefined();
  });

  test('R2: of a prompt that is too long is not said to be sent again', () => {
    const refusal = { ...failure, hint: shortenPromptHint };
    const refused = ended(
      { type: 'failed', hasText: false, failure: refusal },
      conversationOf({ role: 'user', content: 'one' }),
    );
    const { effects } = run(stateOf(), typed('one'), enter, refused);
    expect(effects.at(-1)).toMatchObject({ entries: [{ hint: shortenPromptHint }] });
  });

  test('keeps text that was typed meanwhile', () => {
    const { state } = run(stateOf(), typed('one'), enter, typed('two'), failed);
    expect(composed(state)).toBe('two');
  });

  test('D16 is not part of the path of the next prompt', () => {
    const { effects } = run(stateOf(), typed('one'), enter, failed, enter);
    expect(effectsOf(effects, 'send')[1]?.prompt).toMatchObject({
      content: 'one',
      parent: undefined,
    });
  });

  test('pauses the queue until Enter', () => {
    const { state, effects } = run(stateOf(), typed('one'), enter, typed('two'), enter, failed);
    expect(effectsOf(effects, 'send')).toHaveLength(1);
    expect(state.queue).toHaveLength(1);
    const next = run({ ...state, composer: stateOf().composer }, enter);
    expect(effectsOf(next.effects, 'send')[0]?.prompt).toMatchObject({ content: 'two' });
  });
});

describe('Esc and Ctrl+C', () => {
  const streaming = run(stateOf(), typed('one'), enter).state;

  test.each([
    ['Esc', escape],
    ['Ctrl+C', interrupt],
  ])('%s stops the answer', (_name, key) => {
    const { state, effects } = run(streaming, key);
    expect(effects).toEqual([{ type: 'stop' }]);
    expect(state.activity?.isStopping).toBe(true);
  });

  test('print a notice for a stopped answer', () => {
    const stopped = ended({ type: 'stopped', hasText: true });
    expect(printed(run(streaming, escape, stopped).effects)).toEqual([
      'stopped; /continue resumes it',
    ]);
  });

  test('Ctrl+C moves the draft to the history', () => {
    const { state } = run(stateOf(), typed('draft'), interrupt);
    expect(composed(state)).toBe('');
    expect(composed(run(state, pressed('up')).state)).toBe('draft');
    expect(state.hasQuit).toBe(false);
  });

  test('P7 Ctrl+C on an empty composer quits when it is pressed again', () => {
    const armed = run(stateOf(), interrupt).state;
    expect(armed).toMatchObject({ isQuitArmed: true, hasQuit: false });
    expect(run(armed, interrupt).state.hasQuit).toBe(true);
    expect(run(armed, typed('x'), interrupt).state.hasQuit).toBe(false);
  });

  test('P7 Ctrl+C clears the draft and quits when it is pressed again', () => {
    const cleared = run(stateOf(), typed('draft'), interrupt).state;
    expect(cleared).toMatchObject({ isQuitArmed: true, hasQuit: false });
    expect(run(cleared, interrupt).state.hasQuit).toBe(true);
    expect(run(cleared, typed('x'), interrupt).state.hasQuit).toBe(false);
  });

  test('P7 Ctrl+D quits if the composer is empty, else deletes', () => {
    const control = pressed('d', { ctrl: true });
    expect(run(stateOf(), control).effects).toEqual([{ type: 'quit' }]);
    const { state } = run(stateOf(), typed('ab'), pressed('home'), control);
    expect(composed(state)).toBe('b');
  });
});

describe('Up', () => {
  test('moves within the text before it goes to the history', () => {
    const sent = run(stateOf(), typed('old'), enter, finished).state;
    const { state } = run(sent, typed('one\\'), enter, typed('two'), pressed('up'), typed('X'));
    expect(composed(state)).toBe('oneX\ntwo');
    expect(composed(run(state, pressed('up')).state)).toBe('old');
  });

  test('never loses the draft', () => {
    const sent = run(stateOf(), typed('old'), enter, finished).state;
    const { state } = run(sent, typed('draft'), pressed('up'), pressed('down'));
    expect(composed(state)).toBe('draft');
  });

  test('moves the last queued prompt back to the composer', () => {
    const start = run(stateOf(), typed('one'), enter, typed('two'), enter).state;
    const { state } = run(start, pressed('up'));
    expect(composed(state)).toBe('two');
    expect(state.queue).toEqual([]);
  });
});
