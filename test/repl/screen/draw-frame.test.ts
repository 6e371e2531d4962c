import { symbolsFor } from '../../../src/repl/screen/symbols.ts';
import { describe, expect, test } from 'vitest';
import { createBuffer, draftFrom, moveTo } from '../../../src/repl/composer/text-buffer.ts';
import { addressDialog } from '../../../src/repl/connection.ts';
import type { ReplState } from '../../../src/repl/state.ts';
import { displayWidth } from '../../../src/terminal/text/width.ts';
import { frameOf } from '../../support/app.tsx';
import { stateOf, waitingAnswer } from '../../support/repl-state.ts';

const rule = '─'.repeat(20);

/** An idle session in a conversation about tea, with changes. */
function shownState(changes: Partial<ReplState>): ReplState {
  const state = stateOf({ columns: 60, ...changes });
  const conversation = { ...state.conversation, title: 'Tea and coffee' };
  return { ...state, conversation, context: { tokens: 1204, isEstimate: false } };
}

const frame = (changes: Partial<ReplState>, columns = 60, rows = 24, preview = '') =>
  frameOf(shownState({ columns, rows, ...changes }), { preview });

const frameWithPreview = (preview: string, hasOpenLine: boolean) =>
  frameOf(shownState({}), { preview, hasOpenLine });

const longTail = Array.from({ length: 30 }, (_, row) => `| cell ${row} |`).join('\n');

const busy: Partial<ReplState> = {
  activity: waitingAnswer,
  queue: ['one', 'two', 'three', 'four', 'five', 'six'].map((text) => draftFrom(text)),
  attachments: [{ name: 'notes.md', content: '' }],
  composer: moveTo(createBuffer('first\nsecond'), 10),
  completion: {
    source: 'tab',
    request: { kind: 'command', from: 0, to: 1, typed: '' },
    candidates: Array.from({ length: 20 }, (_, index) => ({ value: `command${index}` })),
    selected: 10,
  },
  armed: 'interrupt',
};

describe('the live region', () => {
  test('is an empty row, a rule, the composer and the footer while natter is idle', () => {
    expect(frame({})).toEqual({
      rows: ['', rule, '› type a prompt', `Tea and coffee${' '.repeat(25)}origin  1.2K/128K 1%`],
      caret: { row: 2, column: 2, shape: undefined },
      preview: undefined,
      keepsFirstRows: false,
    });
  });

  test('R3: keeps its rows out of the scrollback during an answer, unless there is a draft', () => {
    const activity = waitingAnswer;
    expect(frame({ activity }).keepsFirstRows).toBe(true);
    const composer = createBuffer('draft');
    expect(frame({ activity, composer }).keepsFirstRows).toBe(false);
  });

  test('has an empty row below the activity', () => {
    const queue = [draftFrom('later')];
    expect(frame({ activity: waitingAnswer, queue }).rows.slice(0, 5)).toEqual([
      '',
      '⠋ origin · waiting · Esc stops',
      'next: later',
      '',
      rule,
    ]);
  });

  test('names the command that removes what is attached, if there is room', () => {
    const whole = 'with !ls; /attach none removes it';
    expect(frame({ attachments: [{ name: '!ls', content: '' }] }, 40).rows).toContain(whole);
    expect(frame({ attachments: [{ name: '!ls', content: '' }] }, 30).rows).toContain(
      'with !ls; /attach none remov…',
    );
  });

  test('in a low window has neither the rule nor the empty row below the activity', () => {
    expect(frame({ activity: waitingAnswer }, 60, 15).rows).toHaveLength(5);
    expect(frame({ activity: waitingAnswer }, 60, 15).rows).toContain(rule);
    expect(frame({ activity: waitingAnswer }, 60, 11).rows).toHaveLength(4);
    expect(frame({ activity: waitingAnswer }, 60, 11).rows).not.toContain(rule);
  });

  test('in a low window keeps a row of the undecided text before the empty one below it', () => {
    const { rows } = frame({ activity: waitingAnswer }, 60, 5, '| a | b |');
    expect(rows[0]).toBe('| a | b |');
    expect(rows).not.toContain('');
  });

  test.each([24, 12, 8, 5, 3, 2])(
    'leaves a row for the text above in a window of %i rows',
    (rows) => {
      const { rows: shown, caret } = frame(busy, 60, rows, longTail);
      expect(shown.length).toBeLessThanOrEqual(Math.max(2, rows - 1));
      expect(shown[caret?.row ?? -1]).toMatch(/ second$/);
    },
  );

  test.each([100, 40, 20, 10])('has no row wider than %i columns', (columns) => {
    const { rows, caret } = frame(busy, columns, 24, longTail);
    expect(Math.max(...rows.map(displayWidth))).toBeLessThan(columns);
    expect(caret?.column).toBe(6);
  });

  test('previews the answer’s tail after the open line if it fits', () => {
    expect(frameWithPreview('**bol', true).preview).toBe('**bol');
    expect(frameWithPreview('**bol', false).rows[0]).toBe('**bol');
    const { preview, rows } = frameWithPreview('of it.\n-', true);
    expect([preview, rows[0], rows[1]]).toEqual(['of it.', '-', '']);
    expect(frameWithPreview('of it.\n', true).rows[0]).toBe('');
    expect(frameWithPreview('| a\n| b', false).rows.slice(0, 2)).toEqual(['| a', '| b']);
  });

  test('shows the last rows of a long tail', () => {
    const { rows } = frameWithPreview(longTail, false);
    expect(rows.slice(0, 8)).toEqual(
      Array.from({ length: 8 }, (_, index) => `| cell ${22 + index} |`),
    );
  });

  test('wraps a tail that does not fit, and keeps its colours', () => {
    const bold = '\u001B[1mbold\u001B[22m';
    const { rows } = frame({}, 20, 24, `${bold}\n${bold.repeat(5)}`);
    expect(rows.slice(0, 3)).toEqual([
      bold,
      `${bold.repeat(4)}\u001B[1mbol\u001B[22m`,
      '\u001B[1md\u001B[22m',
    ]);
  });

  test('puts the cursor into the entry of a dialog', () => {
    const dialog = addressDialog(stateOf().service, undefined, 'https://');
    const { rows, caret } = frame({ dialog });
    expect(rows[caret?.row ?? -1]).toBe('base URL: https://');
    expect(caret?.column).toBe(18);
  });

  test('is ASCII on a terminal without Unicode', () => {
    const { rows } = frameOf(shownState({ ...busy, columns: 20 }), {
      look: { symbols: symbolsFor(false) },
    });
    expect(rows.join('')).toMatch(/^[\x20-\x7E]+$/);
  });

  test('T19 has no escape codes without colours', () => {
    expect(frame(busy, 60, 24, longTail).rows.join('')).not.toContain('\u001B');
  });
});
