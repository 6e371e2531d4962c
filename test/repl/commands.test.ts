import { describe, expect, test } from 'vitest';
import { openPromptFile } from '../../src/repl/prompt-files/send-prompt-file.ts';
import { sendPrompt } from '../../src/repl/answers/send-prompt.ts';
import { slashCommands } from '../../src/repl/commands.ts';
import { changeJournal, withConversation } from '../../src/repl/conversations/position.ts';
import { withAttached } from '../../src/repl/files/attachments.ts';
import { candidatesFor } from '../../src/repl/menu.ts';
import type { ReplState } from '../../src/repl/state.ts';
import { step, print } from '../../src/repl/step.ts';
import { runInApp } from '../support/app.tsx';
import { createMemorySession } from '../support/memory-session.ts';
import {
  answerEnded,
  chatEvent,
  conversationOf,
  type Effect,
  effectsOf,
  enter,
  interrupt,
  keyPressed,
  lineEntered,
  pasted,
  play,
  pressed,
  type StateChange,
  stateOf,
  typed,
} from '../support/repl-state.ts';
import { readKeys } from './composer/keys/open-keys.ts';

const asked = { role: 'user', content: 'why?' } as const;
const answer = { role: 'assistant', content: 'because', model: 'origin' } as const;
const withLastPrompt = stateOf({ conversation: conversationOf(asked, answer) });
const cut = conversationOf(asked, { ...answer, content: 'beca', incomplete: true });
const twoPrompts = stateOf({
  conversation: conversationOf(
    asked,
    { ...answer, content: 'because\n```\nit is\n```' },
    { role: 'user', content: 'two\nlines' },
    { role: 'assistant', content: 'never' },
  ),
});

const command = (state: ReplState, line: string) => play(state, line, enter);

/** What a command changes that natter does not have, and no prompt file. */
function missing(line: string, ...keys: readonly string[]) {
  const { state, effects } = play(stateOf(), line, enter, ...keys);
  const [{ onMissing } = { onMissing: step }] = effectsOf(effects, openPromptFile);
  return play(state, onMissing);
}

const lastEntry = (effects: readonly Effect[]) => effectsOf(effects, print).at(-1)?.entries[0];

test('every command has a unique name', () => {
  const names = slashCommands.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
});

test.each(['/clear', '/redraw', '/theme mono'])(
  '%s reports in line mode that it has no effect',
  (line) => {
    const { printed, state } = play(stateOf({ isLineMode: true }), lineEntered(line));
    expect(printed[0]).toMatch(/has no effect in line mode/);
    expect(state.settings.theme).toBe('color');
  },
);

const matching = (pattern: RegExp) => expect.stringMatching(pattern) as string;
const pinned = { ...withLastPrompt.conversation, pin: true };

test.each<[line: string, said: readonly string[], state?: ReplState]>([
  ['/rename', ['the title is why?'], withLastPrompt],
  ['/rename', ['this conversation has no title yet; /rename TITLE sets one']],
  ['/pin', [matching(/is pinned: .*; .pin off removes/)], stateOf({ conversation: pinned })],
  ['/pin off', ['this conversation is not pinned'], withLastPrompt],
  ['/settings', [matching(/wrap: words \(words, none\)/)]],
  ['/settings colour red', ['/settings does not know colour']],
  ['/theme neon', ['unknown theme neon']],
  ['/edit 3', ['the conversation has only 2 prompts'], twoPrompts],
  ['/edit 0', ['the conversation has only 2 prompts'], twoPrompts],
  ['/edit x', ['the conversation has only 2 prompts'], twoPrompts],
  ['/copy -3', ['this conversation has 2 answers'], twoPrompts],
  ['/copy 3', ['the last answer has no code block'], twoPrompts],
  ['/copy -2 3', ['answer -2 has one code block'], twoPrompts],
  ['/copy -0', ['/copy takes the number of a code block or answer'], twoPrompts],
  ['/copy 1 -2', ['/copy takes the number of a code block or answer'], twoPrompts],
  ['/save -2', ['/save needs a file name'], twoPrompts],
  ['/copy', ['there is no complete answer yet']],
  ['/wrap', [matching(/between words/)]],
  ['/wrap none', [matching(/the terminal wraps answers/)]],
  ['/wrap lines', ['unknown wrap mode lines']],
  ['/continue', ['the last answer is complete'], withLastPrompt],
  ['/clear', []],
  ['/clear', ['the conversation continues; /new starts a new one'], withLastPrompt],
])('R12, Y18: %s prints %s', (line, said, state = stateOf()) => {
  expect(command(state, line).printed).toEqual(said);
});

test.each([
  ['/settings theme dark', { theme: 'dark' }],
  ['/settings wrap none', { wrap: 'none' }],
  ['/wrap none', { wrap: 'none' }],
  ['/system be brief', { system: 'be brief' }],
])('R12: %s sets it', (line, settings) => {
  expect(command(stateOf(), line).state.settings).toMatchObject(settings);
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

test('a file that is attached twice is sent once, with its newer content', () => {
  const attached =
    (content: string): StateChange =>
    (state) =>
      step(withAttached(state, { name: 'a.txt', content }));
  const { state } = play(stateOf(), attached('old'), attached('new'));
  expect(state.attachments).toEqual([{ name: 'a.txt', content: 'new' }]);
});

test('/edit 2 restores the second last prompt, and Tab lists the prompts', () => {
  const argument = { kind: 'argument', command: 'edit', from: 6, to: 6, typed: '' } as const;
  expect(candidatesFor(createMemorySession().session, twoPrompts, argument)).toEqual([
    { value: '1', summary: 'two lines' },
    { value: '2', summary: 'why?' },
  ]);
  const { state, text } = command(twoPrompts, '/edit 2');
  expect(text).toBe('why?');
  expect(effectsOf(play(state, enter).effects, sendPrompt)).toMatchObject([
    { prompt: { parent: undefined } },
  ]);
});

const last = { text: 'because', name: 'the last answer' };

test.each<[line: string, effect: object, state?: ReplState]>([
  ['/copy', { type: 'copyAnswer', ...last }, withLastPrompt],
  ['/save "a b.ts"', { type: 'saveAnswer', ...last, path: 'a b.ts' }, withLastPrompt],
  ['/save', { type: 'saveJournal' }, withLastPrompt],
  ['/copy -2', { type: 'copyAnswer', name: 'answer -2' }, twoPrompts],
  ['/copy -2 1', { type: 'copyAnswer', text: 'it is\n', name: 'code block 1' }, twoPrompts],
  ['/save -2 1 a.md', { type: 'saveAnswer', text: 'it is\n', path: 'a.md' }, twoPrompts],
  ['/clear', { type: 'callScreen', input: 'scrollAway' }],
  ['/redraw', { type: 'callScreen', input: 'redraw' }],
  ['/resume tea and coffee', { type: 'resume', name: 'tea and coffee' }],
  ['/conversations tea', { type: 'readConversations', query: 'tea', searchesTexts: true }],
  ['/rename tea', { type: 'changeJournal', set: { title: 'tea' } }],
  ['/pin', { type: 'changeJournal', set: { pin: true } }],
  ['/pin off', { set: { pin: false } }, stateOf({ conversation: pinned })],
  ['/attach "my notes.md"', { type: 'attach', input: 'my notes.md' }],
  ['/model nextgen', { type: 'changeJournal', set: { model: 'nextgen' } }, withLastPrompt],
  ['/continue', { prompt: { type: 'continue', turnId: 't2' } }, stateOf({ conversation: cut })],
])('%s requests the effect %j', (line, effect, state = stateOf()) => {
  expect(command(state, line).effects).toContainEqual(expect.objectContaining(effect));
});

test('/model is not recorded before the first turn', () => {
  expect(effectsOf(command(stateOf(), '/model nextgen').effects, changeJournal)).toEqual([]);
});

test('R9: the last answer is missing while the first one is written, which /copy says at once', () => {
  const chunk = chatEvent({ type: 'text-received', text: 'half', deltas: ['half'] }, 1);
  const { state, printed } = play(stateOf(), 'why?', enter, chunk, '/copy', enter);
  expect(state.panel).toBe('there is no complete answer yet');
  expect(printed).toEqual([]);
});

test.each([
  ['/copy', 'copyAnswer'],
  ['/save notes.md', 'saveAnswer'],
] as const)(
  'N20: during /edit of the only prompt, %s uses the answer on the screen',
  (line, type) => {
    const { effects } = play(
      withLastPrompt,
      '/edit',
      enter,
      pressed('u', { ctrl: true }),
      line,
      enter,
    );
    expect(effects).toContainEqual(expect.objectContaining({ type, text: 'because' }));
  },
);

test('R12: /usage is /context, which has the tokens of the session, too', () => {
  const tokens = { promptTokens: 1200, cachedTokens: 1024, completionTokens: 300 };
  const usage = { answers: 2, ...tokens, estimated: 1 };
  expect(command(stateOf({ usage }), '/usage').printed.join('\n')).toContain(
    '2 answers in this session, 1 of them estimated: 1,200 tokens in (1,024 cached), 300 out',
  );
});

test('offers a summary and the larger model once, at 80% of the window', () => {
  const full = conversationOf(asked, { ...answer, usage: { total_tokens: 110_000 } });
  const ended = answerEnded({ type: 'finished' }, full);
  const first = play(stateOf(), 'why?', enter, ended);
  expect(first.printed).toEqual([
    "86% of origin's window is used (110K of 128K); /compact replaces the older turns with a summary, /model nextgen has a window of 1M",
  ]);
  expect(play(first.state, 'more', enter, ended).printed).toEqual([]);
});

test('an opened conversation restores its system prompt and model', () => {
  const conversation = conversationOf({ role: 'system', content: 'be brief' }, asked, {
    ...answer,
    model: 'nextgen',
  });
  expect(withConversation(stateOf(), { ...conversation, id: 'c2' }).settings).toMatchObject({
    system: 'be brief',
    model: 'nextgen',
  });
});

test.each([
  ['/undo 2', '/undo takes no argument', 'type /undo alone'],
  ['/pin tea', '/pin takes only the word off', '/pin off'],
  ['/context x', '/context takes only the word summary', '/context summary'],
  ['/retry -m nextgen', 'a model id cannot contain spaces', '/model lists them'],
])('%s is refused and has no effect', (line, message, hint) => {
  const { effects } = command(withLastPrompt, line);
  expect(lastEntry(effects)).toMatchObject({ message, hint });
  expect(new Set(effects.map(({ type }) => type))).toEqual(new Set(['remember', 'print']));
});

test('/retry with a model asks that model, for this answer only', () => {
  const { state, effects, printed } = command(withLastPrompt, '/retry nextgen');
  expect(printed).toEqual(['nextgen answers the same prompt']);
  expect(effectsOf(effects, sendPrompt)[0]).toMatchObject({
    prompt: { type: 'repeat', turnId: 't1' },
    settings: { model: 'nextgen' },
    nextModel: 'origin',
  });
  expect(state.settings.model).toBe('origin');
});

const newLine = pressed('j', { ctrl: true });

/** The keys of a single read from the terminal. */
const read = (text: string): readonly StateChange[] =>
  readKeys(text).map((event) => keyPressed(event));

describe('X17: a command with more lines', () => {
  test('is refused when it is typed, and its text stays in the composer', () => {
    const typedLines = play(stateOf(), '/rename', newLine, 'tell me', enter);
    expect(typedLines).toMatchObject({
      printed: ['/rename takes one line, but more lines follow'],
      text: '/rename\ntell me',
      sent: [],
    });
  });

  test('runs if the command takes several lines', () => {
    const { state } = play(stateOf(), '/system be brief', newLine, 'and kind', enter);
    expect(state.settings.system).toBe('be brief\nand kind');
  });

  test.each([
    ['/rename\rtell me\r', ['tell me'], ''],
    ['/system be brief\rtell me\r', ['tell me'], ''],
    ['/model nextgen\r/rename\rtell me\r', ['tell me'], ''],
    ['/rename\rone\rtwo\r', [], 'one\ntwo\n'],
  ])('in one read runs it, and sends one prompt or keeps several lines: %j', (keys, sent, text) => {
    const played = play(stateOf(), ...read(keys));
    expect(played).toMatchObject({ sent, text });
    expect(played.printed.length).toBeGreaterThan(0);
  });

  test('runs in line mode, and the lines after it are the next prompt', () => {
    const lines = lineEntered('/model nextgen\n/rename\none\ntwo');
    const { state, printed, sent } = play(stateOf({ isLineMode: true }), lines);
    expect(state.settings.model).toBe('nextgen');
    expect(printed[1]).toMatch(/^this conversation has no title/);
    expect(sent).toEqual(['one\ntwo']);
  });
});

test.each(['/usr/bin\rtwo\r', '//rename\rtwo\r', 'one\r/rename\rtwo'])(
  '%j in one read is a paste',
  (keys) => {
    const { effects, text } = play(stateOf(), ...read(keys));
    expect(text).toBe(keys.replaceAll('\r', '\n'));
    // Only a check whether it is the path of a dropped file.
    expect(effects.filter(({ type }) => type !== 'recognisePaths')).toEqual([]);
  },
);

describe('Y18: a command', () => {
  test.each(['/rename', '/model nextgen'])('%s is shown before its output', (text) => {
    const [echo, output] = effectsOf(command(stateOf(), text).effects, print);
    expect(echo?.entries).toEqual([{ type: 'command', text, needsEcho: false }]);
    expect(output?.entries).toHaveLength(1);
  });

  test.each(['/redraw', '/clear'])('%s without output is not shown', (text) => {
    expect(effectsOf(command(stateOf(), text).effects, print)).toEqual([]);
  });

  test.each([
    ['/delete', 'in a shell: natter conversations delete c1;'],
    ['/history', '/resume lists them; /help keys has the key that searches your prompts;'],
    ['/vim', 'in a shell: natter config set editing vi;'],
    ['/status', '/context shows the figures;'],
    ['/rewind', '/undo removes the last prompt, /edit goes back to an earlier one;'],
    ['/memory', '/system sets the system prompt;'],
    ['/config', 'in a shell: natter config;'],
    ['/xyzzy', '/help lists them;'],
    ['/atach', 'did you mean /attach?'],
    ['/modle', 'did you mean /model?'],
  ])('unknown: %s gets a hint', (text, hint) => {
    expect(lastEntry(missing(text).effects)).toEqual({
      type: 'failure',
      message: `unknown command ${text}`,
      hint: `${hint} // sends a line that starts with a slash`,
    });
  });

  test.each([
    ['modle', 'did you mean /model?'],
    ['co', 'did you mean /compare or /continue or /copy?'],
  ])('that /help does not know has a hint, too: %s', (name, hint) => {
    const message = `unknown command /${name}`;
    expect(lastEntry(command(stateOf(), `/help ${name}`).effects)).toMatchObject({ message, hint });
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
    const [one, same] = [other, name].map((line) => {
      const { effects, state, printed } = command(withLastPrompt, line);
      const types = effects.map(({ type }) => type).filter((type) => type !== 'remember');
      return [state.hasQuit, printed, types];
    });
    expect(one).toEqual(same);
  });

  test('another name of /quit quits during an answer', () => {
    expect(play(stateOf(), 'one', enter, '/exit', enter).state.hasQuit).toBe(true);
  });

  test('a prompt file has its name before another name of a command', () => {
    const promptFiles = [{ name: 'exit', summary: '' }];
    const { effects, state } = command(stateOf({ promptFiles }), '/exit');
    expect(state.hasQuit).toBe(false);
    expect(effectsOf(effects, openPromptFile)).toHaveLength(1);
  });
});

describe('a line that starts with a slash', () => {
  test.each([
    ['a pasted line with a message', pasted, '/opt/run.sh: line 3: syntax error'],
    ['pasted lines', pasted, '/srv/app/index.js:12\n  throw error\nError: boom'],
    ['pasted lines after the name of a command', pasted, '/rename\ntell me'],
    ['a typed path', typed, '/etc/hosts what is this?'],
    ['a file name', typed, '/notes.md what is this?'],
  ])('is a prompt if it is %s', (_how, enterText, text) => {
    const { effects, printed, state } = play(stateOf(), enterText(text), enter);
    expect(effectsOf(effects, sendPrompt)).toMatchObject([
      { prompt: { content: text, shown: text } },
    ]);
    expect(printed).toEqual([]);
    expect(play({ ...state, activity: undefined }, pressed('up')).text).toContain(text);
  });

  test.each(['team/review', 'review.v2'])('is a command if the prompt file %s exists', (name) => {
    const state = stateOf({ promptFiles: [{ name, summary: '' }] });
    const { effects, sent } = command(state, `/${name} these lines`);
    expect(effectsOf(effects, openPromptFile)).toMatchObject([{ name, argument: 'these lines' }]);
    expect(sent).toEqual([]);
  });

  test('is in the composer again after an unknown command, and a slash replaces it', () => {
    const { state, text } = missing('/modle  nextgen');
    expect([text, play(state, '/').text]).toEqual(['/modle nextgen', '/']);
    expect(missing('/modle', 'next').text).toBe('next');
  });
});
