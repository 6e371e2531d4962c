import { describe, expect, test } from 'vitest';
import type { Candidate } from '../../../src/repl/composer/completion.ts';
import {
  createHistory,
  extendQuery,
  type HistorySearch,
  startSearch,
} from '../../../src/repl/composer/history.ts';
import { createBuffer, draftFrom } from '../../../src/repl/composer/text-buffer.ts';
import { firstRunDialog, keyDialog } from '../../../src/repl/connection.ts';
import { promptDialog } from '../../../src/repl/prompt-files/send-prompt-file.ts';
import { Queue, Footer } from '../../../src/repl/screen/App.tsx';
import {
  CompletionMenu,
  Composer,
  composerOf,
  SearchLines,
} from '../../../src/repl/screen/Composer.tsx';
import { DialogBox } from '../../../src/repl/screen/DialogBox.tsx';
import { fittingEnd } from '../../../src/repl/screen/view.tsx';
import { noticeOf } from '../../../src/repl/screen/App.tsx';
import type { Dialog, ReplState } from '../../../src/repl/state.ts';
import { displayWidth } from '../../../src/terminal/text/width.ts';
import { drawn, type Look, runInApp } from '../../support/app.tsx';
import { expectForAll, fc } from '../../support/properties.ts';
import {
  enter,
  pressed,
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
