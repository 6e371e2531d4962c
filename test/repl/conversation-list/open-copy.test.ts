import { describe, expect, test } from 'vitest';
import { copyDialog, firstRunDialog } from '../../../src/repl/dialog.ts';
import { dialogOf } from '../../../src/repl/screen/DialogBox.tsx';
import { step } from '../../../src/repl/step.ts';
import { listedConversation, listOf } from '../../support/conversation-lists.ts';
import {
  effectsOf,
  enter,
  escape,
  interrupt,
  pressed,
  run,
  stateOf,
  typed,
} from '../../support/repl-state.ts';

describe('a chosen conversation that is open in another natter', () => {
  const waiting = firstRunDialog();
  const options = { settings: { model: 'nextgen' } };
  const rows = ['cccc2222', 'rrrr4444'].map((id) => listedConversation({ id }));
  const list = listOf(rows, { options, dialog: waiting });
  const chosen = run(stateOf({ list }), typed('tea'), pressed('down'), enter);
  const asked = run(
    chosen.state,
    (state) => step({ ...state, dialog: copyDialog('it is open', 'rrrr4444', true) }),
    { type: 'task-ended', entries: [], now: 0 },
  ).state;

  test('leads back to the list as it was', () => {
    expect(dialogOf(asked)?.hints.at(-1)).toBe('Esc goes back');
    for (const back of [escape, typed('2'), interrupt]) {
      const { state } = run(asked, back);
      expect(state).toMatchObject({ dialog: undefined, list: { query: 'tea', selected: 1 } });
      expect(run(state, escape).state.dialog).toBe(waiting);
    }
  });

  test('leads back to a list that is read to its end', () => {
    const many = Array.from({ length: 200 }, (_, index) => listedConversation({ id: `c${index}` }));
    const first = listOf(many, { rows: many.slice(0, 80) });
    const { entries } = first;
    const opening = run(stateOf({ list: first }), pressed('end'), enter);
    const readMeanwhile = { type: 'rows-read', entries, rows: many.slice(80, 160) } as const;
    const missed = { type: 'list-changed', event: readMeanwhile } as const;
    const { state, effects } = run(
      opening.state,
      missed,
      (before) => step({ ...before, dialog: copyDialog('it is open', 'c79', true) }),
      { type: 'task-ended', entries: [], now: 0 },
      escape,
    );
    expect(effectsOf(effects, 'read-list')).toMatchObject([{ from: 80 }]);
    expect(run(state, missed).state.list?.rows).toHaveLength(80);
  });

  test('is opened as a copy, before the dialog that waited', () => {
    const { state, effects } = run(asked, enter);
    expect(effectsOf(effects, 'resume')).toEqual([
      { type: 'resume', name: 'rrrr4444', ...options, isBranch: true },
    ]);
    expect(run(state, { type: 'task-ended', entries: [], now: 0 }).state.dialog).toBe(waiting);
  });

  test('is not the list of a later /resume with a name', () => {
    const copied = run(asked, enter, { type: 'task-ended', entries: [], now: 0 }).state;
    const { state } = run({ ...copied, dialog: undefined }, typed('/resume tea'), enter);
    expect(state.chosenFrom).toBeUndefined();
  });
});
