import { describe, expect, test } from 'vitest';
import type { Candidate } from '../../../src/repl/composer/completion.ts';
import {
  createHistory,
  extendQuery,
  type HistorySearch,
  startSearch,
} from '../../../src/repl/composer/history.ts';
import { showHelp } from '../../../src/repl/commands.ts';
import { ownKeyMap } from '../../../src/repl/composer/keys/key-bindings.ts';
import { welcomeEntry } from '../../../src/repl/run.ts';
import { runForShell } from '../../../src/repl/shell/shell-command.ts';
import { createBuffer, draftFrom } from '../../../src/repl/composer/text-buffer.ts';
import { firstRunDialog, keyDialog } from '../../../src/repl/connection.ts';
import { promptDialog } from '../../../src/repl/prompt-files/send-prompt-file.ts';
import { Footer, noticeOf, Queue, StatusRow } from '../../../src/repl/screen/App.tsx';
import {
  CompletionMenu,
  Composer,
  composerOf,
  SearchLines,
} from '../../../src/repl/screen/Composer.tsx';
import { DialogBox } from '../../../src/repl/screen/DialogBox.tsx';
import { fittingEnd } from '../../../src/repl/screen/view.tsx';
import type { AnswerActivity, Dialog, ReplState } from '../../../src/repl/state.ts';
import { displayWidth } from '../../../src/terminal/text/width.ts';
import { drawn, type Look, runInApp } from '../../support/app.tsx';
import { expectForAll, fc } from '../../support/properties.ts';
import {
  chatEvent,
  effectsIn,
  enter,
  pressed,
  printed,
  run,
  stateOf,
  waitingAnswer,
  typed,
  reviewPrompt,
} from '../../support/repl-state.ts';

describe('the composer', () => {
  const composer = composerOf(stateOf(), undefined);
  const written = { ...composer, rows: ['first', 'second', 'third'] };
  const rowsOf = (layout: typeof composer, look?: Look) =>
    drawn(<Composer composer={layout} />, stateOf(), look);

  test('shows its placeholder while it is empty', () => {
    expect(rowsOf(composer)).toEqual(['› type a prompt']);
    expect(rowsOf(composer, { columns: 10 })).toEqual(['› type a …']);
  });

  test('names the key for the queue while an answer streams', () => {
    const streaming = { activity: waitingAnswer, queue: [draftFrom('later')] };
    expect(drawn(<Composer composer={composer} />, stateOf(streaming))).toEqual([
      '› Up edits the last queued prompt',
    ]);
    const empty = { ...streaming, queue: [] };
    expect(drawn(<Composer composer={composer} />, stateOf(empty))).toEqual([
      '› type the next prompt',
    ]);
  });

  test('marks its first row, and that there is more text above and below', () => {
    expect(rowsOf(written)).toEqual(['› first', '  second', '  third']);
    const part = { ...written, hasMoreAbove: true, hasMoreBelow: true };
    expect(rowsOf(part)).toEqual(['↑ first', '  second', '↓ third']);
    expect(rowsOf(written, { colored: true }).join('')).toContain('\u001B[36m');
  });
});

describe('the completion menu', () => {
  const request = { kind: 'command', from: 0, to: 1, typed: '' } as const;
  const candidates = ['model', 'models', 'max-tokens', 'new', 'save'].map((value) => ({
    value,
    summary: `what /${value} does`,
  }));
  const menuOf = (shown: readonly Candidate[], selected: number, rows: number, look?: Look) =>
    drawn(
      <CompletionMenu menu={{ source: 'tab', request, candidates: shown, selected }} rows={rows} />,
      stateOf(),
      look,
    );

  test('marks the selected candidate and aligns the summaries', () => {
    expect(menuOf(candidates.slice(0, 3), 1, 8)).toEqual([
      '  /model       what /model does',
      '› /models      what /models does',
      '  /max-tokens  what /max-tokens does',
    ]);
  });

  test('shows arguments, and on its last row the position', () => {
    const help = { value: 'help', argument: '[name]', summary: 'list the commands' };
    expect(menuOf([help, ...candidates], 0, 2, { columns: 40 })).toEqual([
      '› /help [name]  list the commands',
      '  /model        what /model does   1/6 ↓',
    ]);
  });
});

describe('a search of the history', () => {
  const history = createHistory(['black tea in a glass', 'green tea', 'tea']);
  const found = extendQuery(history, startSearch(), 'tea');
  const rowsOf = (search: HistorySearch, rows: number) =>
    drawn(<SearchLines search={search} rows={rows} />, stateOf({ history }), { columns: 16 });

  test('shows as many older matches as fit', () => {
    const shown = ['history: tea', '  green tea', '  black tea in …'];
    expect(rowsOf(found, 3)).toEqual(shown);
    expect(rowsOf(found, 2)).toEqual(shown.slice(0, 2));
  });
});

describe('the queue', () => {
  const queueOf = (texts: readonly string[], isQueuePaused: boolean, rows: number) => {
    const queue = texts.map((text) => draftFrom(text));
    return drawn(<Queue rows={rows} />, stateOf({ queue, isQueuePaused }));
  };

  test('shows each prompt on a row', () => {
    expect(queueOf(['first\n  line', 'second'], false, 4)).toEqual([
      'next: first line',
      'next: second',
    ]);
  });

  test('counts hidden prompts and shows that the queue is paused', () => {
    expect(queueOf(['a', 'b', 'c', 'd'], true, 2)).toEqual(['queued: a', 'queued: 3 more']);
  });
});

describe('the footer', () => {
  const footerOf = (changes: Partial<ReplState> & { title?: string }, look?: Look) => {
    const { title = 'Tea and coffee', ...others } = changes;
    const context = { tokens: 1204, isEstimate: false };
    const service = { address: 'the sandbox', isSandbox: true, hasKey: true };
    const state = stateOf({ context, service, ...others });
    const conversation = { ...state.conversation, title };
    return drawn(<Footer />, { ...state, conversation }, look).join('\n');
  };
  const useOf = (tokens: number, isEstimate = false) => ({ context: { tokens, isEstimate } });

  test('has the conversation on the left, shortened, and on the right the model and its window', () => {
    expect(footerOf({})).toBe('Tea and coffee                 sandbox  origin  1.2K/128K 1%');
    expect(footerOf({ title: 'Tea and coffee, and what else to drink' })).toBe(
      'Tea and coffee, and what els…  sandbox  origin  1.2K/128K 1%',
    );
  });

  test.each([
    [38, '         sandbox  origin  1.2K/128K 1%'],
    [27, '      sandbox  1.2K/128K 1%'],
    [20, '        1.2K/128K 1%'],
    [8, '1.2K/12…'],
  ])('keeps the context in %i columns', (columns, row) => {
    expect(footerOf({}, { columns })).toBe(row);
  });

  test('has no numbers at the start, and no share below 1%', () => {
    expect(footerOf(useOf(0))).toMatch(/ sandbox {2}origin$/);
    expect(footerOf(useOf(36))).toMatch(/ origin {2}36\/128K$/);
  });

  test('shows no window for an unknown model, and marks estimates', () => {
    const settings = { ...stateOf().settings, model: 'unknown' };
    expect(footerOf({ ...useOf(1204, true), settings })).toMatch(/ unknown {2}~1,204 tokens$/);
    expect(footerOf(useOf(1204, true))).toMatch(/ origin {2}~1\.2K\/128K 1%$/);
  });

  test('has two tones; the numbers are yellow from 80% of the window', () => {
    const shown = (tokens: number) => footerOf(useOf(tokens), { colored: true });
    expect(shown(102_399)).toContain('sandbox  origin  \u001B[2m102K/128K 80%');
    expect(shown(102_400)).toContain('sandbox  origin  \u001B[1m\u001B[33m102K/128K 80%');
  });

  test('T4 shows a title without its escape sequences', () => {
    expect(footerOf({ title: 'a\u001B]0;x\u0007b' })).toMatch(/^ab /);
  });
});

describe('a dialog', () => {
  const choice = (title: string, ...labels: readonly string[]): Dialog => ({
    type: 'choice',
    title,
    choices: labels.map((label) => ({ label, choose: (state) => ({ state, tasks: [] }) })),
    selected: 1,
    cancel: (state) => ({ state, tasks: [] }),
  });
  const rowsOf = (dialog: Dialog, look?: Look) =>
    drawn(<DialogBox dialog={dialog} />, stateOf({ dialog }), look);

  test('wraps its title and its choices', () => {
    const dialog = choice(
      'No service is configured yet, and so natter asks for one',
      'connect to a service (URL and API key)',
      'use the sandbox: no key needed, nothing leaves this machine',
    );
    expect(rowsOf(dialog, { columns: 40 })).toEqual([
      'No service is configured yet, and so',
      'natter asks for one',
      '  1 connect to a service (URL and API',
      '    key)',
      '› 2 use the sandbox: no key needed,',
      '    nothing leaves this machine',
      'Enter or a number chooses · Esc cancels',
    ]);
  });

  test('omits the hint in the middle first, because it continues the first one', () => {
    const lastRow = (columns: number) => rowsOf(firstRunDialog, { columns }).at(-1);
    expect(lastRow(70)).toBe('Enter or a number chooses · or type a prompt · Esc uses the sandbox');
    expect(lastRow(60)).toBe('Enter or a number chooses · Esc uses the sandbox');
    expect(lastRow(40)).toBe('Esc uses the sandbox');
  });
});

/** A state that asks for one of these values. */
function asking(choices: readonly string[], rows = 24) {
  const variable = { name: 'drink', choices };
  const use = { prompt: reviewPrompt, values: {}, text: '' };
  return stateOf({ dialog: promptDialog(use, [variable]), rows });
}

const choicesOf = (rows: readonly string[]) => rows.filter((row) => /^[ ›] \d/.test(row));

test.each([
  ['go', [typed('g'), typed('o')], '› 3 go'],
  ['go, in one piece', [typed('go')], '› 3 go'],
  ['a different start', [typed('g'), typed('r')], '› 4 rust'],
  ['nothing that begins so', [typed('x')], '› 1 ts'],
  ['1, which begins a value', [typed('1')], '› 5 10'],
])('a value is chosen by typing %s', (_what, keys, selected) => {
  expect(runInApp(asking(['ts', 'Gleam', 'go', 'rust', '10']), ...keys).rows).toContain(selected);
});

test('the selected one of many choices is in sight', () => {
  const many = asking(
    Array.from({ length: 30 }, (_, index) => `tea ${index + 1}`),
    9,
  );
  expect(choicesOf(runInApp(many).rows)).toEqual([
    '› 1 tea 1',
    '  2 tea 2',
    '  3 tea 3',
    '  4 tea 4',
    '  5 tea 5',
  ]);
  expect(choicesOf(runInApp(many, pressed('up')).rows).at(-1)).toBe('› 30 tea 30');
});

test('a hidden entry shows one asterisk for each character', () => {
  const dialog = keyDialog(stateOf().service, 'https://api.example.com');
  expect(runInApp(stateOf({ dialog }), typed('kéy')).rows).toContain('API key: ***');
});

test('the end of any text fits, and is as long as it can be but for one wide character', () => {
  expectForAll(
    fc.string({ unit: fc.constantFrom('a', 'é', '日', '👩‍👧', ' '), maxLength: 40 }),
    fc.nat(30),
    (text, columns) => {
      const end = fittingEnd(text, columns);
      expect(text.endsWith(end)).toBe(true);
      expect(displayWidth(end)).toBeLessThanOrEqual(columns);
      expect(end === text || displayWidth(end) >= columns - 1).toBe(true);
    },
  );
});

const drafts = [draftFrom('a'), draftFrom('b')];
const request = { kind: 'path', from: 0, to: 1, typed: '@' } as const;
const partial = { source: 'files', request, candidates: [], selected: 0, isPartial: true } as const;

test.each<[string, Partial<ReplState>]>([
  ['a new version', { branch: { parent: undefined, reason: 'edit' } }],
  ['stashed drafts', { stash: drafts }],
  ['stashed drafts', { stash: drafts, composer: createBuffer('now') }],
  ['a paused queue', { queue: drafts, isQueuePaused: true }],
  ['a paused queue', { queue: drafts, isQueuePaused: true, composer: createBuffer('now') }],
  ['a dropped file', { composer: createBuffer('@a'), recognised: '@a' }],
  ['a large folder', { completion: partial }],
])('the notice about %s fits into 40 columns', (_, parts) => {
  const notice = noticeOf(stateOf(parts)) ?? '';
  expect(notice.length).toBeGreaterThan(0);
  expect(notice.length).toBeLessThan(40);
});

test('during a history search, the composer shows the match', () => {
  const sent = run(stateOf(), typed('tea'), enter).state;
  const search = pressed('r', { ctrl: true });
  const rowsOf = (...keys: readonly ReturnType<typeof typed>[]) =>
    runInApp({ ...sent, activity: undefined }, search, ...keys).rows;
  expect(rowsOf(typed('te'))).toEqual(expect.arrayContaining(['› tea', 'history: te']));
  expect(rowsOf(typed('te'), search)).toContain('no other match: te');
  expect(rowsOf(typed('te'), search, typed('x'))).toContain('not in the history: tex');
});

/** After some seconds. */
const waiting = (seconds: number, changes: Partial<AnswerActivity> = {}): Partial<ReplState> => ({
  activity: { ...waitingAnswer, ...changes },
  now: seconds * 1000,
});

const streaming = (seconds: number, tokens: number, stalled = 0) =>
  waiting(seconds, { phase: 'streaming', tokens, lastAt: (seconds - stalled) * 1000 });

const retrying = (left = 4, cause = 'the service answered 503') =>
  waiting(10, {
    phase: 'retrying',
    retry: { cause, retry: 2, retries: 5, at: 10_000 + left * 1000 },
  });

function working(name: string): Partial<ReplState> {
  const task = { run: () => undefined, input: undefined };
  const activity = { type: 'task', name, task, since: 0, isStopping: false } as const;
  return { activity: { ...activity, dialog: undefined }, now: 2000 };
}

const shown = (changes: Partial<ReplState>, look: Look = {}) =>
  drawn(<StatusRow />, stateOf(changes), look)[0] ?? '';

/** The row after the spinner. */
const statusRow = (changes: Partial<ReplState>, look?: Look) => shown(changes, look).slice(2);

describe('the status row', () => {
  test.each<[string, Partial<ReplState>, string]>([
    ['waiting', waiting(0), 'origin · waiting · Esc stops'],
    ['waiting for over a minute', waiting(75), 'origin · waiting 1 min 15 s · Esc stops'],
    [
      'streaming, with rounded tokens',
      streaming(12, 1340),
      'origin · 12 s · ~1,350 tokens · Esc stops',
    ],
    [
      'the first tokens, which are never none',
      streaming(1, 0.4),
      'origin · 1 s · ~1 token · Esc stops',
    ],
    [
      'Y18: an answer that stalls',
      streaming(45, 1340, 12),
      'origin · 45 s · nothing for 12 s · ~1,350 tokens · Esc stops and keeps the text',
    ],
    [
      'retrying',
      retrying(),
      'the service answered 503 · retry 2 of 5 in 4 s · Enter retries now · Esc gives up',
    ],
    [
      'retrying while a draft is typed, which Enter would queue',
      { ...retrying(), composer: createBuffer('x') },
      'the service answered 503 · retry 2 of 5 in 4 s · Esc gives up',
    ],
    ['retrying now', retrying(-3), 'the service answered 503 · retry 2 of 5 now · Esc gives up'],
    ['working', working('listing models'), 'listing models · 2 s · Esc stops'],
    ['stopping', waiting(1, { isStopping: true }), 'stopping'],
  ])('%s', (_, changes, text) => {
    expect(statusRow(changes, { columns: 100 })).toBe(text);
  });

  test.each([
    [60, 'the service answe… · retry 2 of 5 in 4 s · Enter retries now'],
    [50, 'the service answered 5… · retry in 4 s · Enter now'],
    [38, 'the servic… · retry in 4 s · Enter now'],
    [32, 'retry in 4 s · Enter now'],
    [20, 'retry in 4 s'],
  ])('keeps the countdown and a key in %i columns, and shortens the cause', (columns, text) => {
    expect(statusRow(retrying(), { columns: columns + 2 })).toBe(text);
  });

  test.each([
    [50, 'nothing for 12 s · Esc stops and keeps the text'],
    [40, 'origin · nothing for 12 s · Esc stops'],
  ])('Y18: keeps the stall time and the stop hint in %i columns', (columns, text) => {
    expect(statusRow(streaming(45, 1340, 12), { columns: columns + 2 })).toBe(text);
  });

  test('shortens a task before it leaves out its stop hint', () => {
    expect(statusRow(working('running npm run build -- --watch'), { columns: 40 })).toBe(
      'running npm run bui… · 2 s · Esc stops',
    );
  });

  test('has a spinner that turns every tenth of a second', () => {
    const frames = [0, 99, 100, 950, 1000].map((now) => shown(retrying(), { now }).charAt(0));
    expect(frames).toEqual(['⠋', '⠋', '⠙', '⠏', '⠋']);
  });

  test('is dim except for the key and the spinner', () => {
    expect(shown(waiting(0), { colored: true })).toBe(
      '\u001B[36m⠋ \u001B[39m\u001B[2morigin · waiting · \u001B[22m\u001B[1mEsc\u001B[22m\u001B[2m stops\u001B[22m',
    );
  });

  test('T4 shows model ids and causes on one safe line', () => {
    expect(statusRow(waiting(0, { model: 'a\u001B[2Jb\nc' }))).toBe('ab c · waiting · Esc stops');
  });

  test('names keys of the user', () => {
    const keyMap = ownKeyMap({ stop: 'f4', send: 'ctrl+x' }, 'default');
    expect(statusRow({ ...retrying(), keyMap }, { columns: 100 })).toContain(
      'Ctrl+X retries now · F4 gives up',
    );
  });

  test('Y18: a stall ends with the next text', () => {
    const text = { type: 'text-received', text: 'half', deltas: ['half'] } as const;
    const { state } = run(stateOf(streaming(32, 10, 12)), chatEvent(text, 33_000));
    expect(statusRow(state)).not.toContain('nothing for');
  });
});

const ownKeys = ownKeyMap(
  {
    send: 'alt+s',
    interrupt: 'ctrl+q',
    stash: 'f6',
    undo: 'f7',
    'move-up': 'f8',
    'new-line': 'f9',
  },
  'default',
);

test.each<[Partial<ReplState>, string]>([
  [{ armed: 'interrupt' }, 'press Ctrl+Q again to quit'],
  [{ armed: 'send' }, 'press Alt+S again to quit'],
  [{ stash: [draftFrom('a')] }, 'F6 restores the stashed draft'],
  [{ queue: [draftFrom('a')], isQueuePaused: true }, 'Alt+S sends the queue, F8 edits it'],
  [{ composer: createBuffer('@a'), recognised: '@a' }, '@ attaches the file; F7 undoes it'],
  // An action without a key is omitted.
  [
    { stash: [draftFrom('a')], keyMap: ownKeyMap({ stash: 'none' }, 'default') },
    'after this prompt: the stashed draft',
  ],
])('with %j a notice names keys of the user', (parts, notice) => {
  expect(noticeOf(stateOf({ keyMap: ownKeys, ...parts }))).toBe(notice);
});

test('the first row and the help name keys of the user', () => {
  expect(welcomeEntry(stateOf({ keyMap: ownKeys }))).toMatchObject({
    text: expect.stringContaining('F9 new line') as unknown,
  });
  const help = (isLineMode: boolean, topic: string) =>
    printed(effectsIn(showHelp(stateOf({ keyMap: ownKeys, isLineMode, columns: 100 }), topic)))[0];
  expect(help(false, '')).toContain('Alt+S, F9, Esc, Ctrl+Q');
  expect(help(true, 'keys')).toMatch(/^Alt\+S: send, or [^]*\nCtrl\+Q: stop the answer/m);
});

test.each<[string, Record<string, string>, Partial<ReplState>, string]>([
  ['the default keys', {}, {}, 'Esc ends it'],
  ['keys of the user', { stop: 'f6', interrupt: 'ctrl+q' }, {}, 'F6 ends it'],
  ['one key', { stop: 'none' }, {}, 'input; Ctrl+C ends it'],
  ['the key of line mode', { stop: 'f6' }, { isLineMode: true }, 'input; Ctrl+C ends it'],
])('a single ! explains %s of a command for the shell', (_, keys, parts, text) => {
  const state = stateOf({ keyMap: ownKeyMap(keys, 'default'), ...parts });
  const effects = effectsIn(runForShell(state, draftFrom('!'), false));
  expect(printed(effects).join('\n')).toContain(text);
});
