import { render } from 'ink-testing-library';
import type { ReactElement } from 'react';
import { describe, expect, test } from 'vitest';
import { Footer, Queue } from '../../../src/repl/screen/App.tsx';
import { CompletionMenu } from '../../../src/repl/screen/CompletionMenu.tsx';
import {
  Composer,
  SearchLines,
  type ComposerView,
  composerOf,
} from '../../../src/repl/screen/Composer.tsx';
import { DialogBox, type DialogView } from '../../../src/repl/screen/DialogBox.tsx';
import type { FooterView } from '../../../src/repl/screen/footer-row.ts';
import { AppearanceProvider } from '../../../src/repl/screen/Rows.tsx';
import { appearanceOf, type Look } from '../../support/appearance.ts';
import { stateOf } from '../../support/repl-state.ts';

/** The rows of an element, without colours by default. */
function drawn(element: ReactElement, look: Look = {}): string[] {
  const { lastFrame, unmount } = render(
    <AppearanceProvider value={appearanceOf(look)}>{element}</AppearanceProvider>,
  );
  const frame = lastFrame() ?? '';
  unmount();
  return frame.split('\n');
}

describe('the composer', () => {
  const composer = composerOf(stateOf());
  const written: ComposerView = { ...composer, rows: ['first', 'second', 'third'] };

  test('shows its placeholder while it is empty', () => {
    expect(drawn(<Composer composer={composer} />)).toEqual(['› type a prompt']);
  });

  test('marks its first row and indents the others', () => {
    expect(drawn(<Composer composer={written} />)).toEqual(['› first', '  second', '  third']);
  });

  test('marks that there is more text above and below', () => {
    const part = { ...written, hasMoreAbove: true, hasMoreBelow: true };
    expect(drawn(<Composer composer={part} />)).toEqual(['↑ first', '  second', '↓ third']);
  });

  test('T19 writes no escape codes without colours', () => {
    expect(drawn(<Composer composer={written} />).join('')).not.toContain('\u001B');
    expect(drawn(<Composer composer={written} />, { colored: true }).join('')).toContain(
      '\u001B[36m',
    );
  });
});

describe('the completion menu', () => {
  const candidates = ['/model', '/models', '/max-tokens', '/new', '/save'].map((label) => ({
    label,
    summary: `what ${label} does`,
  }));

  test('marks the selected candidate and aligns the summaries', () => {
    const menu = { candidates: candidates.slice(0, 3), selected: 1 };
    expect(drawn(<CompletionMenu menu={menu} rows={8} />)).toEqual([
      '  /model       what /model does',
      '› /models      what /models does',
      '  /max-tokens  what /max-tokens does',
    ]);
  });

  test('keeps the selected candidate visible', () => {
    const rows = drawn(<CompletionMenu menu={{ candidates, selected: 4 }} rows={2} />);
    expect(rows).toEqual([
      '  /new         what /new does',
      `› /save        what /save does${' '.repeat(25)}5/5 ↑`,
    ]);
  });

  test('shows arguments, and on its last row the position', () => {
    const menu = {
      candidates: [
        { label: '/help', argument: '[name]', summary: 'list the commands' },
        ...candidates,
      ],
      selected: 0,
    };
    const rows = drawn(<CompletionMenu menu={menu} rows={2} />, { columns: 40 });
    expect(rows).toEqual([
      '› /help [name]  list the commands',
      '  /model        what /model does   1/6 ↓',
    ]);
  });
});

test.each([
  [{ found: true, isMatching: true }, 'history: tea'],
  [{ found: false, isMatching: true }, 'no other match: tea'],
  [{ found: false, isMatching: false }, 'not in the history: tea'],
])('the row of a search with %j is %s', (result, row) => {
  const search = { query: 'tea', older: [], ...result };
  expect(drawn(<SearchLines search={search} rows={1} />)).toEqual([row]);
});

test('a search shows as many older matches as fit', () => {
  const search = {
    query: 'tea',
    found: true,
    isMatching: true,
    older: ['green tea', 'black tea in a glass'],
  };
  const look = { columns: 16 };
  expect(drawn(<SearchLines search={search} rows={3} />, look)).toEqual([
    'history: tea',
    '  green tea',
    '  black tea in …',
  ]);
  expect(drawn(<SearchLines search={search} rows={1} />, look)).toEqual(['history: tea']);
});

describe('the queue', () => {
  test('shows each prompt on a row', () => {
    const prompts = ['first\n  line', 'second'];
    expect(drawn(<Queue prompts={prompts} isPaused={false} rows={4} />)).toEqual([
      'next: first line',
      'next: second',
    ]);
  });

  test('counts hidden prompts and shows that the queue is paused', () => {
    expect(drawn(<Queue prompts={['a', 'b', 'c', 'd']} isPaused rows={2} />)).toEqual([
      'queued: a',
      'queued: 3 more',
    ]);
  });
});

describe('the footer', () => {
  const footer: FooterView = {
    mode: undefined,
    conversation: 'Tea and coffee',
    source: 'sandbox',
    model: 'origin',
    contextUsed: 1204,
    window: 128_000,
    isEstimate: false,
  };

  test('has the conversation on the left, and on the right the model and its window', () => {
    expect(drawn(<Footer footer={footer} />)).toEqual([
      'Tea and coffee                 sandbox  origin  1.2K/128K 1%',
    ]);
  });

  test('shortens the title', () => {
    const conversation = 'Tea and coffee, and what else to drink';
    expect(drawn(<Footer footer={{ ...footer, conversation }} />)).toEqual([
      'Tea and coffee, and what els…  sandbox  origin  1.2K/128K 1%',
    ]);
  });

  test.each([
    [38, '         sandbox  origin  1.2K/128K 1%'],
    [27, '      sandbox  1.2K/128K 1%'],
    [20, '        1.2K/128K 1%'],
    [8, '1.2K/12…'],
  ])('keeps the context in %i columns', (columns, row) => {
    expect(drawn(<Footer footer={footer} />, { columns })).toEqual([row]);
  });

  test.each([
    [40, 'REPLACE             origin  1.2K/128K 1%'],
    [16, 'REPLACE  1.2K/1…'],
  ])('with the mode of vi, fits in %i columns', (columns, row) => {
    const shown = drawn(<Footer footer={{ ...footer, source: '', mode: 'REPLACE' }} />, {
      columns,
    });
    expect(shown.map((line) => [line.length <= columns, line])).toEqual([[true, row]]);
  });

  test('has no numbers at the start, and no share below 1%', () => {
    const texts = [0, 36].map(
      (contextUsed) => drawn(<Footer footer={{ ...footer, contextUsed }} />)[0],
    );
    expect(texts[0]).toMatch(/ sandbox {2}origin$/);
    expect(texts[1]).toMatch(/ origin {2}36\/128K$/);
  });

  test('shows no window for an unknown model, and marks estimates', () => {
    const unknown = { ...footer, window: undefined, isEstimate: true };
    expect(drawn(<Footer footer={unknown} />)[0]).toMatch(/ origin {2}~1,204 tokens$/);
    const estimated = { ...footer, isEstimate: true };
    expect(drawn(<Footer footer={estimated} />)[0]).toMatch(/ origin {2}~1\.2K\/128K 1%$/);
  });

  test('has two tones; the numbers are yellow from 80% of the window', () => {
    const shown = (contextUsed: number) =>
      drawn(<Footer footer={{ ...footer, contextUsed }} />, { colored: true }).join('');
    expect(shown(102_399)).toContain('sandbox  origin  \u001B[2m102K/128K 80%');
    expect(shown(102_400)).toContain('sandbox  origin  \u001B[1m\u001B[33m102K/128K 80%');
  });
});

describe('a dialog', () => {
  const firstRun: DialogView = {
    kind: 'choice',
    title: 'No service is configured yet, and natter can use any that follows the contract.',
    options: [{ label: 'Connect a service' }, { label: 'Sandbox' }],
    selected: 1,
    hints: ['Enter chooses', 'Esc quits'],
  };

  test('offers a choice', () => {
    expect(drawn(<DialogBox dialog={firstRun} />)).toEqual([
      'No service is configured yet, and natter can use any that',
      'follows the contract.',
      '  Connect a service',
      '› Sandbox',
      'Enter chooses · Esc quits',
    ]);
  });

  test('wraps long choices in a narrow terminal', () => {
    const options = [
      { label: '1 connect to a service (URL and API key)' },
      { label: '2 use the sandbox: no key needed, nothing leaves this machine' },
    ];
    const dialog = { ...firstRun, title: 'Which?', options };
    expect(drawn(<DialogBox dialog={dialog} />, { columns: 40 })).toEqual([
      'Which?',
      '  1 connect to a service (URL and API',
      '    key)',
      '› 2 use the sandbox: no key needed,',
      '    nothing leaves this machine',
      'Enter chooses · Esc quits',
    ]);
  });

  test('omits the hint in the middle first, because it continues the first one', () => {
    const hints = ['Enter or a number chooses', 'or type a prompt', 'Esc cancels'];
    const lastRow = (columns: number) =>
      drawn(<DialogBox dialog={{ ...firstRun, hints }} />, { columns }).at(-1);
    expect(lastRow(60)).toBe(hints.join(' · '));
    expect(lastRow(39)).toBe('Enter or a number chooses · Esc cancels');
    expect(lastRow(38)).toBe('Esc cancels');
  });

  test('asks for an entry', () => {
    const entry: DialogView = {
      kind: 'entry',
      title: 'A key is needed.',
      label: 'API key',
      text: '•••',
      caretColumn: 3,
      hints: ['Enter checks it', 'Esc quits'],
    };
    expect(drawn(<DialogBox dialog={entry} />)).toEqual([
      'A key is needed.',
      'API key: •••',
      'Enter checks it · Esc quits',
    ]);
  });
});
