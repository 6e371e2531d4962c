import { describe, expect, test } from 'vitest';
import { createDrawer } from '../../../src/repl/view/draw-frame.tsx';
import type { ViewModel } from '../../../src/repl/view/view-model.ts';
import { colorStyle, plainStyle } from '../../../src/terminal/style.ts';
import { displayWidth } from '../../../src/terminal/text/width.ts';
import { viewModel } from '../../support/view-models.ts';

const look = { style: plainStyle, unicode: true, now: 0 };
const rule = '─'.repeat(20);

function frame(changes: Partial<ViewModel>, columns = 60, rows = 24, hasOpenLine = false) {
  return createDrawer()(viewModel(changes), look, { columns, rows, hasOpenLine });
}

const busy: Partial<ViewModel> = {
  tail: Array.from({ length: 30 }, (_, row) => `| cell ${row} |`).join('\n'),
  status: { phase: 'waiting', model: 'origin', seconds: 3 },
  queue: ['one', 'two', 'three', 'four', 'five', 'six'],
  attachments: ['notes.md'],
  composer: {
    rows: ['first', 'second'],
    caret: { row: 1, column: 4 },
    hasMoreAbove: false,
    hasMoreBelow: false,
    placeholder: '',
  },
  completion: {
    candidates: Array.from({ length: 20 }, (_, index) => ({ label: `/command${index}` })),
    selected: 10,
  },
  notice: 'press Ctrl+C again to quit',
};

describe('the live region', () => {
  test('is an empty row, a rule, the composer and the footer while natter is idle', () => {
    expect(frame({})).toEqual({
      rows: ['', rule, '› Write a prompt', `Tea and coffee${' '.repeat(25)}origin  1.2K/128K 1%`],
      caret: { row: 2, column: 2 },
      preview: undefined,
      hasPreviewRows: false,
    });
  });

  test('has an empty row below the activity', () => {
    const status = { phase: 'waiting', model: 'origin', seconds: 0 } as const;
    const queue = ['later'];
    expect(frame({ status, queue }).rows.slice(0, 5)).toEqual([
      '',
      '⠋ origin · waiting · Esc stops',
      'next: later',
      '',
      rule,
    ]);
  });

  test('names the command that removes what is attached, if there is room', () => {
    const whole = 'with !ls; /attach none removes it';
    expect(frame({ attachments: ['!ls'] }, 40).rows).toContain(whole);
    expect(frame({ attachments: ['!ls'] }, 30).rows).toContain('with !ls');
  });

  test('in a low window has neither the rule nor the empty row below the activity', () => {
    const status = { phase: 'waiting', model: 'origin', seconds: 0 } as const;
    expect(frame({ status }, 60, 15).rows).toHaveLength(5);
    expect(frame({ status }, 60, 15).rows).toContain(rule);
    expect(frame({ status }, 60, 11).rows).toHaveLength(4);
    expect(frame({ status }, 60, 11).rows).not.toContain(rule);
  });

  test.each([24, 12, 8, 5, 3, 2])(
    'leaves a row for the text above in a window of %i rows',
    (rows) => {
      const { rows: shown, caret } = frame(busy, 60, rows);
      expect(shown.length).toBeLessThanOrEqual(Math.max(2, rows - 1));
      expect(shown[caret?.row ?? -1]).toBe('  second');
    },
  );

  test.each([100, 40, 20, 10])('has no row wider than %i columns', (columns) => {
    const { rows, caret } = frame(busy, columns);
    expect(Math.max(...rows.map(displayWidth))).toBeLessThan(columns);
    expect(caret?.column).toBe(6);
  });

  test('previews the answer’s tail after the open line if it fits', () => {
    expect(frame({ tail: '**bol' }, 60, 24, true).preview).toBe('**bol');
    expect(frame({ tail: '**bol' }, 60, 24, false).rows[0]).toBe('**bol');
    const { preview, rows } = frame({ tail: 'of it.\n-' }, 60, 24, true);
    expect([preview, rows[0], rows[1]]).toEqual(['of it.', '-', '']);
    expect(frame({ tail: 'of it.\n' }, 60, 24, true).rows[0]).toBe('');
    expect(frame({ tail: '| a\n| b' }, 60, 24, false).rows.slice(0, 2)).toEqual(['| a', '| b']);
  });

  test('shows the last rows of a long tail', () => {
    const { rows } = frame({ tail: busy.tail ?? '' });
    expect(rows.slice(0, 8)).toEqual(
      Array.from({ length: 8 }, (_, index) => `| cell ${22 + index} |`),
    );
  });

  test('wraps a tail that does not fit, and keeps its colours', () => {
    const bold = '\u001B[1mbold\u001B[22m';
    const { rows } = frame({ tail: `${bold}\n${bold.repeat(5)}` }, 20);
    expect(rows.slice(0, 3)).toEqual([
      bold,
      `${bold.repeat(4)}\u001B[1mbol\u001B[22m`,
      '\u001B[1md\u001B[22m',
    ]);
  });

  test('puts the cursor into the entry of a dialog', () => {
    const { rows, caret } = frame({
      dialog: {
        kind: 'entry',
        title: 'A key is needed.',
        label: 'API key',
        text: '•••',
        caretColumn: 3,
        hints: ['Enter checks it'],
      },
    });
    expect(rows[caret?.row ?? -1]).toBe('API key: •••');
    expect(caret?.column).toBe(12);
  });

  test('shows no cursor in a choice', () => {
    const options = [{ label: 'Sandbox' }];
    const dialog = { kind: 'choice', title: 'Which?', options, selected: 0, hints: [] } as const;
    expect(frame({ dialog }).caret).toBeUndefined();
  });

  test('rounds the answer’s estimated tokens to tens', () => {
    const draw = createDrawer();
    const place = { columns: 60, rows: 24, hasOpenLine: true };
    const shown = [101, 104, 106].map((tokens) => {
      const status = { phase: 'streaming', model: 'origin', seconds: 1, tokens } as const;
      const model = viewModel({ status: { ...status, isEstimate: true } });
      return draw(model, look, place).rows[1];
    });
    expect(shown).toEqual([
      '⠋ origin · 1 s · ~100 tokens · Esc stops',
      '⠋ origin · 1 s · ~100 tokens · Esc stops',
      '⠋ origin · 1 s · ~110 tokens · Esc stops',
    ]);
  });

  test('is laid out again after a change of style, symbols or width', () => {
    const draw = createDrawer();
    const place = { columns: 60, rows: 24, hasOpenLine: false };
    const plain = draw(viewModel(), look, place).rows;
    const colored = { ...look, style: colorStyle };
    expect(draw(viewModel(), colored, place).rows).not.toEqual(plain);
    expect(draw(viewModel(), { ...look, unicode: false }, place).rows).not.toEqual(plain);
    expect(draw(viewModel(), look, { ...place, columns: 30 }).rows).not.toEqual(plain);
    expect(draw(viewModel(), look, place).rows).toEqual(plain);
  });

  test('T19 has no escape codes without colours', () => {
    expect(frame(busy).rows.join('')).not.toContain('\u001B');
  });
});
