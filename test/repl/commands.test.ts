import { describe, expect, test } from 'vitest';
import { slashCommands } from '../../src/repl/commands.ts';
import { joinPasteBurst } from '../../src/repl/composer/keys/key-event.ts';
import { KeyParser } from '../../src/repl/composer/keys/key-parser.ts';
import { withConversation } from '../../src/repl/conversations/position.ts';
import { withAttached } from '../../src/repl/files/attachments.ts';
import type { ReplState } from '../../src/repl/state.ts';
import { candidatesFor } from '../../src/repl/menu.ts';
import { step } from '../../src/repl/step.ts';
import { runInApp } from '../support/app.tsx';
import { createMemorySession } from '../support/memory-session.ts';
import {
  answerEnded,
  chatEvent,
  composed,
  conversationOf,
  type Effect,
  effectsOf,
  enter,
  interrupt,
  keyPressed,
  lineEntered,
  pasted,
  pressed,
  printed,
  promptMissing,
  run,
  type StateChange,
  stateOf,
  typed,
} from '../support/repl-state.ts';

const exchange = conversationOf(
  { role: 'user', content: 'why?' },
  { role: 'assistant', content: 'because', model: 'origin' },
);
const cut = conversationOf(
  { role: 'user', content: 'why?' },
  { role: 'assistant', content: 'beca', incomplete: true },
);
const withLastPrompt = stateOf({ conversation: exchange });

const command = (state: ReplState, line: string) => run(state, typed(line), enter);

test('every command has a summary and a unique name', () => {
  const names = slashCommands.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(slashCommands.every(({ summary }) => summary.length > 0)).toBe(true);
});

test.each(['/clear', '/redraw', '/theme mono'])(
  '%s reports in line mode that it has no effect',
  (line) => {
    const { effects } = run(stateOf({ isLineMode: true }), lineEntered(line));
    expect(printed(effects)[0]).toMatch(/has no effect in line mode/);
  },
);

test('Y18: /rename without a title shows the current one, or how to set one', () => {
  expect(printed(command(withLastPrompt, '/rename').effects)).toEqual(['the title is why?']);
  expect(printed(command(stateOf(), '/rename').effects)).toEqual([
    'this conversation has no title yet; /rename TITLE sets one',
  ]);
});

test('/pin off removes the mark, and repeating a change of the mark has no effect', () => {
  const pinned = { ...withLastPrompt.conversation, pin: true };
  const state = { ...withLastPrompt, conversation: pinned };
  expect(effectsOf(command(state, '/pin off').effects, 'change-journal')).toMatchObject([
    { set: { pin: false } },
  ]);
  expect(printed(command(state, '/pin').effects)).toEqual([
    'this conversation is pinned: lists show it first; /pin off removes the mark',
  ]);
  expect(printed(command(withLastPrompt, '/pin off').effects)).toEqual([
    'this conversation is not pinned',
  ]);
});

test('R10: /theme without a name opens a list of the themes', () => {
  const { state } = command(stateOf(), '/theme');
  expect(state.dialog).toMatchObject({ title: 'the theme is color', selected: 0 });
  expect(runInApp(state, typed('d'), enter).state).toMatchObject({
    dialog: undefined,
    settings: { theme: 'dark' },
  });
  expect(runInApp(state, interrupt).state.dialog).toBeUndefined();
});

test('R12: /settings shows and sets the theme and the wrapping', () => {
  expect(printed(command(stateOf(), '/settings').effects)[0]).toContain(
    'wrap: words (words, none)',
  );
  expect(command(stateOf(), '/settings theme dark').state.settings.theme).toBe('dark');
  expect(command(stateOf(), '/settings wrap none').state.settings.wrap).toBe('none');
  expect(printed(command(stateOf(), '/settings colour red').effects)).toEqual([
    '/settings does not know colour',
  ]);
  expect(printed(command(stateOf(), '/theme neon').effects)).toEqual(['unknown theme neon']);
  const spoken = command(stateOf({ isLineMode: true }), '/settings theme dark');
  expect(spoken.state.settings.theme).toBe('color');
});

test('a file that is attached twice is sent once, with its newer content', () => {
  const attached =
    (content: string): StateChange =>
    (state) =>
      step(withAttached(state, { name: 'a.txt', content }));
  const { state } = run(stateOf(), attached('old'), attached('new'));
  expect(state.attachments).toEqual([{ name: 'a.txt', content: 'new' }]);
});

test.each([
  ['/atach', 'did you mean /attach? // sends a line that starts with a slash'],
  ['/modle', 'did you mean /model? // sends a line that starts with a slash'],
  ['/help modle', 'did you mean /model?'],
])('%s suggests commands with similar names', (line, hint) => {
  const { state, effects } = command(stateOf(), line);
  const opened = effectsOf(effects, 'open-prompt').map(({ name, argument }) => {
    return promptMissing(name, argument);
  });
  const all = [...effects, ...run(state, ...opened).effects];
  expect(effectsOf(all, 'print')[1]?.entries[0]).toMatchObject({
    message: expect.stringMatching(/^unknown command \/(modle|atach)$/) as string,
    hint,
  });
});

test('/edit 2 restores the second last prompt, and Tab lists the prompts', () => {
  const conversation = conversationOf(
    { role: 'user', content: 'one' },
    { role: 'assistant', content: '1' },
    { role: 'user', content: 'two\nlines' },
    { role: 'assistant', content: '2' },
  );
  const state = stateOf({ conversation });
  const argument = { kind: 'argument', command: 'edit', from: 6, to: 6, typed: '' } as const;
  expect(candidatesFor(createMemorySession().session, state, argument)).toEqual([
    { value: '1', summary: 'two lines' },
    { value: '2', summary: 'one' },
  ]);
  const { state: edited } = command(state, '/edit 2');
  expect(composed(edited)).toBe('one');
  const { effects } = run(edited, enter);
  expect(effectsOf(effects, 'send')[0]?.prompt).toMatchObject({ parent: undefined });
  for (const other of ['3', '0', 'x']) {
    expect(printed(command(state, `/edit ${other}`).effects)).toEqual([
      'the conversation has only 2 prompts',
    ]);
  }
});

describe('the last answer', () => {
  const last = { text: 'because', name: 'the last answer' };

  test.each([
    ['/copy', { type: 'copy', ...last }],
    ['/save "a b.ts"', { type: 'save', ...last, path: 'a b.ts' }],
    ['/save', { type: 'save-journal' }],
  ])('is used by %s', (line, effect) => {
    expect(command(withLastPrompt, line).effects).toContainEqual(effect);
  });

  const twice = stateOf({
    conversation: conversationOf(
      { role: 'user', content: 'why?' },
      { role: 'assistant', content: 'because\n```\nit is\n```' },
      { role: 'user', content: 'why not?' },
      { role: 'assistant', content: 'never' },
    ),
  });
  const block = { text: 'it is\n', name: 'code block 1' };

  test.each([
    ['/copy -2', { type: 'copy', text: 'because\n```\nit is\n```', name: 'answer -2' }],
    ['/copy -2 1', { type: 'copy', ...block }],
    ['/save -2 1 a.md', { type: 'save', ...block, path: 'a.md' }],
  ])('may be an earlier one: %s', (line, effect) => {
    expect(command(twice, line).effects).toContainEqual(effect);
  });

  test.each([
    ['/copy -3', 'this conversation has 2 answers'],
    ['/copy -0', '/copy takes the number of a code block or answer'],
    ['/copy 1 -2', '/copy takes the number of a code block or answer'],
    ['/save -2', '/save needs a file name'],
    ['/copy 3', 'the last answer has no code block'],
    ['/copy -2 3', 'answer -2 has one code block'],
  ])('is not found by %s', (line, problem) => {
    expect(printed(command(twice, line).effects)).toEqual([problem]);
  });

  test('R9: is missing while the first one is written, which /copy says at once', () => {
    const text = { type: 'text-received', text: 'half', deltas: ['half'] } as const;
    const chunk = chatEvent(text, 1);
    const writing = run(stateOf(), typed('why?'), enter, chunk).state;
    const { state, effects } = command(writing, '/copy');
    expect(state.panel).toBe('there is no complete answer yet');
    expect(printed(effects)).toEqual([]);
  });

  test.each([
    ['/copy', 'copy'],
    ['/save notes.md', 'save'],
  ] as const)('N20: is that on the screen during /edit of the only prompt: %s', (line, type) => {
    const editing = run(command(withLastPrompt, '/edit').state, pressed('u', { ctrl: true })).state;
    expect(effectsOf(command(editing, line).effects, type)).toMatchObject([{ text: 'because' }]);
  });

  test('is required by /copy', () => {
    expect(printed(command(stateOf(), '/copy').effects)).toEqual([
      'there is no complete answer yet',
    ]);
  });
});

test.each([
  ['/resume tea and coffee', { type: 'resume', name: 'tea and coffee' }],
  ['/conversations tea', { type: 'open-list', options: {}, query: 'tea', searchesTexts: true }],
  ['/rename tea', { type: 'change-journal', set: { title: 'tea' } }],
  ['/pin', { type: 'change-journal', set: { pin: true } }],
  ['/attach "my notes.md"', { type: 'attach', input: 'my notes.md' }],
])('%s requests its effect', (line, effect) => {
  expect(command(stateOf(), line).effects).toContainEqual(effect);
});

test('R12: /usage is /context, which has the tokens of the session, too', () => {
  const tokens = { promptTokens: 1200, cachedTokens: 1024, completionTokens: 300 };
  const usage = { answers: 2, ...tokens, estimated: 1 };
  const { effects } = command(stateOf({ usage }), '/usage');
  expect(JSON.stringify(effects)).toContain(
    '2 answers in this session, 1 of them estimated: 1,200 tokens in (1,024 cached), 300 out',
  );
});

test('offers a summary and the larger model once, at 80% of the window', () => {
  const full = conversationOf(
    { role: 'user', content: 'why?' },
    { role: 'assistant', content: 'because', usage: { total_tokens: 110_000 } },
  );
  const ended = answerEnded({ type: 'finished' }, full);
  const first = run(stateOf(), typed('why?'), enter, ended);
  expect(printed(first.effects)).toEqual([
    "86% of origin's window is used (110K of 128K); /compact replaces the older turns with a summary, /model nextgen has a window of 1M",
  ]);
  expect(printed(run(first.state, typed('more'), enter, ended).effects)).toEqual([]);
});

test('an opened conversation restores its system prompt and model', () => {
  const conversation = {
    ...conversationOf(
      { role: 'system', content: 'be brief' },
      { role: 'user', content: 'why?' },
      { role: 'assistant', content: 'because', model: 'nextgen' },
    ),
    id: 'c2',
  };
  const state = withConversation(stateOf(), conversation);
  expect(state.settings).toMatchObject({ system: 'be brief', model: 'nextgen' });
});

test('/wrap shows or sets how answers are wrapped', () => {
  expect(printed(command(stateOf(), '/wrap').effects)[0]).toMatch(/between words/);
  const { state, effects } = command(stateOf(), '/wrap none');
  expect(state.settings.wrap).toBe('none');
  expect(printed(effects)[0]).toMatch(/the terminal wraps answers/);
  expect(printed(command(stateOf(), '/wrap lines').effects)).toEqual(['unknown wrap mode lines']);
});

test('/clear shows that the conversation continues, if there is one', () => {
  const conversation = conversationOf({ role: 'user', content: 'why?' });
  const { effects } = run(stateOf({ conversation }), typed('/clear'), enter);
  expect(effects.map(({ type }) => type)).toEqual(['remember', 'scroll-away', 'print']);
  expect(printed(effects)).toEqual(['the conversation continues; /new starts a new one']);
  expect(printed(command(stateOf(), '/clear').effects)).toEqual([]);
});

test.each([
  ['/undo 2', '/undo takes no argument', 'type /undo alone'],
  ['/pin tea', '/pin takes only the word off', '/pin off'],
  ['/context x', '/context takes only the word summary', '/context summary'],
  ['/retry -m nextgen', 'a model id cannot contain spaces', '/model lists them'],
])('%s is refused and has no effect', (line, message, hint) => {
  const { effects } = command(withLastPrompt, line);
  expect(effectsOf(effects, 'print').at(-1)?.entries).toEqual([
    expect.objectContaining({ message, hint }),
  ]);
  const types = new Set(effects.map(({ type }) => type));
  expect(types).toEqual(new Set(['remember', 'print']));
});

test('/continue resumes an answer that was cut off', () => {
  const { effects } = command(stateOf({ conversation: cut }), '/continue');
  expect(effectsOf(effects, 'send')[0]?.prompt).toEqual({ type: 'continue', turnId: 't2' });
  expect(printed(command(withLastPrompt, '/continue').effects)).toEqual([
    'the last answer is complete',
  ]);
});

test('/retry with a model asks that model, for this answer only', () => {
  const { state, effects } = command(withLastPrompt, '/retry nextgen');
  expect(printed(effects)).toEqual(['nextgen answers the same prompt']);
  expect(effectsOf(effects, 'send')[0]).toMatchObject({
    prompt: { type: 'repeat', turnId: 't1' },
    settings: { model: 'nextgen' },
    nextModel: 'origin',
  });
  expect(state.settings.model).toBe('origin');
});

test('/model is recorded in a conversation with turns', () => {
  const record = { type: 'change-journal', set: { model: 'nextgen' } };
  expect(command(withLastPrompt, '/model nextgen').effects).toContainEqual(record);
  expect(command(stateOf(), '/model nextgen').effects).not.toContainEqual(record);
});

const newLine = pressed('j', { ctrl: true });

/** The keys of a single read from the terminal. */
const read = (text: string): readonly StateChange[] =>
  joinPasteBurst(new KeyParser().feed(text)).map((event) => keyPressed(event));

const prompts = (effects: readonly Effect[]) =>
  effectsOf(effects, 'send').map(({ prompt }) => 'content' in prompt && prompt.content);

describe('X17: a command with more lines', () => {
  test('is refused when it is typed, and its text stays in the composer', () => {
    const { state, effects } = run(stateOf(), typed('/rename'), newLine, typed('tell me'), enter);
    expect(printed(effects)).toEqual(['/rename takes one line, but more lines follow']);
    expect(composed(state)).toBe('/rename\ntell me');
    expect(effectsOf(effects, 'send')).toEqual([]);
  });

  test('runs if the command takes several lines', () => {
    const { state } = run(stateOf(), typed('/system be brief'), newLine, typed('and kind'), enter);
    expect(state.settings.system).toBe('be brief\nand kind');
  });

  test.each([
    ['/rename\rtell me\r', ['tell me']],
    ['/system be brief\rtell me\r', ['tell me']],
    ['/model nextgen\r/rename\rtell me\r', ['tell me']],
  ])('in one read runs the command and sends the prompt: %j', (text, sent) => {
    const { state, effects } = run(stateOf(), ...read(text));
    expect(prompts(effects)).toEqual(sent);
    expect(printed(effects).length).toBeGreaterThan(0);
    expect(composed(state)).toBe('');
  });

  test('in one read puts the lines after it into the composer if there are several', () => {
    const { state, effects } = run(stateOf(), ...read('/rename\rone\rtwo\r'));
    expect(printed(effects)[0]).toMatch(/^this conversation has no title/);
    expect(composed(state)).toBe('one\ntwo\n');
  });

  test('runs in line mode, and the lines after it are the next prompt', () => {
    const text = '/model nextgen\n/rename\none\ntwo';
    const { state, effects } = run(stateOf({ isLineMode: true }), lineEntered(text));
    expect(state.settings.model).toBe('nextgen');
    expect(printed(effects)[1]).toMatch(/^this conversation has no title/);
    expect(prompts(effects)).toEqual(['one\ntwo']);
  });
});

test.each(['/usr/bin\rtwo\r', '//rename\rtwo\r', 'one\r/rename\rtwo'])(
  '%j in one read is a paste',
  (text) => {
    const { state, effects } = run(stateOf(), ...read(text));
    expect(composed(state)).toBe(text.replaceAll('\r', '\n'));
    // Only a check whether it is the path of a dropped file.
    expect(effects.filter(({ type }) => type !== 'recognise-paths')).toEqual([]);
  },
);

describe('Y18: a command', () => {
  test.each(['/rename', '/model nextgen'])('%s is shown before its output', (text) => {
    const { effects } = run(stateOf(), typed(text), enter);
    const [echo, output] = effectsOf(effects, 'print');
    expect(echo?.entries).toEqual([{ type: 'command', text, needsEcho: false }]);
    expect(output?.entries).toHaveLength(1);
  });

  test.each(['/redraw', '/clear'])('%s without output is not shown', (text) => {
    expect(effectsOf(run(stateOf(), typed(text), enter).effects, 'print')).toEqual([]);
  });

  test.each([
    ['/delete', 'in a shell: natter conversations delete c1'],
    ['/history', '/resume lists them; /help keys has the key that searches your prompts'],
    ['/vim', 'in a shell: natter config set editing vi'],
    ['/status', '/context shows the figures'],
    ['/rewind', '/undo removes the last prompt, /edit goes back to an earlier one'],
    ['/memory', '/system sets the system prompt'],
    ['/config', 'in a shell: natter config'],
    ['/xyzzy', '/help lists them'],
  ])('unknown: %s gets a hint', (text, hint) => {
    const missing = promptMissing(text.slice(1), '');
    const [, output] = effectsOf(run(stateOf(), typed(text), enter, missing).effects, 'print');
    expect(output?.entries).toEqual([
      {
        type: 'failure',
        message: `unknown command ${text}`,
        hint: `${hint}; // sends a line that starts with a slash`,
      },
    ]);
  });

  test.each([
    ['/exit', '/quit'],
    ['/bye', '/quit'],
    ['/cost', '/context'],
    ['/reset', '/new'],
    ['/regenerate', '/retry'],
    ['?', '/help'],
    ['/help exit', '/help quit'],
  ])('%s runs %s', (other, name) => {
    const conversation = conversationOf({ role: 'user', content: 'why?' });
    const effectsAfter = (line: string) => {
      const { effects, state } = run(stateOf({ conversation }), typed(line), enter);
      const done = effects.filter(({ type }) => type !== 'remember');
      return {
        hasQuit: state.hasQuit,
        texts: printed(effects),
        types: done.map(({ type }) => type),
      };
    };
    expect(effectsAfter(other)).toEqual(effectsAfter(name));
  });

  test('another name of /quit quits during an answer', () => {
    expect(run(stateOf(), typed('one'), enter, typed('/exit'), enter).state.hasQuit).toBe(true);
  });

  test('a prompt file has its name before another name of a command', () => {
    const promptFiles = [{ name: 'exit', summary: '' }];
    const { effects, state } = run(stateOf({ promptFiles }), typed('/exit'), enter);
    expect(state.hasQuit).toBe(false);
    expect(effectsOf(effects, 'open-prompt')).toHaveLength(1);
  });
});

describe('a line that starts with a slash', () => {
  test.each([
    ['a pasted line with a message', pasted, '/opt/run.sh: line 3: syntax error'],
    ['pasted lines', pasted, '/srv/app/index.js:12\n  throw error\nError: boom'],
    ['pasted lines after the name of a command', pasted, '/rename\ntell me'],
    ['a typed path', typed, '/etc/hosts what is this?'],
    ['a file name', typed, '/notes.md what is this?'],
  ])('is a prompt if it is %s', (_how, input, text) => {
    const { effects, state } = run(stateOf(), input(text), enter);
    expect(effectsOf(effects, 'send')[0]?.prompt).toMatchObject({ content: text, shown: text });
    expect(printed(effects)).toEqual([]);
    expect(composed(run({ ...state, activity: undefined }, pressed('up')).state)).toContain(text);
  });

  test.each(['team/review', 'review.v2'])('is a command if the prompt file %s exists', (name) => {
    const state = stateOf({ promptFiles: [{ name, summary: '' }] });
    const { effects } = run(state, typed(`/${name} these lines`), enter);
    expect(effectsOf(effects, 'open-prompt')).toMatchObject([{ name, argument: 'these lines' }]);
    expect(effectsOf(effects, 'send')).toEqual([]);
  });

  test('is in the composer again after an unknown command, and a slash replaces it', () => {
    const missing = promptMissing('modle', 'nextgen');
    const { state } = run(stateOf(), typed('/modle  nextgen'), enter, missing);
    expect(composed(state)).toBe('/modle nextgen');
    expect(composed(run(state, typed('/')).state)).toBe('/');
    const other = run(stateOf(), typed('/modle'), enter, typed('next'), missing).state;
    expect(composed(other)).toBe('next');
  });
});
