import { render } from 'ink-testing-library';
import type { ReactElement } from 'react';
import { describe, expect, test } from 'vitest';
import {
  CompletionMenu,
  Composer,
  Footer,
  Queue,
  SearchLine,
} from '../../../src/repl/view/App.tsx';
import { AppearanceProvider } from '../../../src/repl/view/appearance.ts';
import { DialogBox } from '../../../src/repl/view/DialogBox.tsx';
import type { ComposerView, DialogView, FooterView } from '../../../src/repl/view/view-model.ts';
import { appearanceOf, type Look, viewModel } from '../../support/view-models.ts';

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
  const { composer } = viewModel();
  const written: ComposerView = { ...composer, rows: ['first', 'second', 'third'] };

  test('shows its placeholder while it is empty', () => {
    expect(drawn(<Composer composer={composer} />)).toEqual(['› Write a prompt']);
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
    expect(rows).toEqual(['  /new   what /new does', '› /save  what /save does']);
  });
});

test('the search line shows the query and a failed search', () => {
  expect(drawn(<SearchLine search={{ query: 'tea', found: true }} />)).toEqual(['history: tea']);
  expect(drawn(<SearchLine search={{ query: 'tea', found: false }} />)).toEqual([
    'not in the history: tea',
  ]);
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
    ...viewModel().footer,
    source: 'sandbox',
    usage: '1,204 tokens in, 310 out',
  };

  test('shows conversation, model, context in numbers and usage', () => {
    expect(drawn(<Footer footer={footer} />, { columns: 120 })).toEqual([
      'Tea and coffee · sandbox · origin · 1,204 of 128,000 tokens (1%) · 1,204 tokens in, 310 out',
    ]);
  });

  test('shortens the title before it omits anything', () => {
    const long = {
      ...footer,
      conversation: 'Tea and coffee, and what else to drink',
      usage: undefined,
    };
    expect(drawn(<Footer footer={long} />, { columns: 70 })).toEqual([
      'Tea and coffee, and… · sandbox · origin · 1,204 of 128,000 tokens (1%)',
    ]);
  });

  test('keeps the context and the sandbox in a narrow window', () => {
    expect(drawn(<Footer footer={footer} />, { columns: 45 })).toEqual([
      'sandbox · 1,204 of 128,000 tokens (1%)',
    ]);
  });

  test('shows no window for an unknown model, and marks estimates', () => {
    const unknown = { ...viewModel().footer, contextWindow: undefined, isEstimate: true };
    expect(drawn(<Footer footer={unknown} />)).toEqual(['Tea and coffee · origin · ~1,204 tokens']);
  });

  test('is yellow from 80% of the window', () => {
    const near = { ...footer, contextUsed: 102_400 };
    expect(drawn(<Footer footer={near} />, { colored: true }).join('')).toContain('\u001B[33m');
    const far = { ...footer, contextUsed: 102_399 };
    expect(drawn(<Footer footer={far} />, { colored: true }).join('')).not.toContain('\u001B[33m');
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
