import { describe, expect, test } from 'vitest';
import { firstRunDialog } from '../../../src/repl/connection.ts';
import { copyDialog } from '../../../src/repl/conversations/conversations.ts';
import type { OpenList } from '../../../src/repl/state.ts';
import { step } from '../../../src/repl/step.ts';
import { runInApp } from '../../support/app.tsx';
import {
  effectsOf,
  enter,
  escape,
  interrupt,
  pressed,
  run,
  type StateChange,
  stateOf,
  taskEnded,
  typed,
} from '../../support/repl-state.ts';
import { listedConversation, listOf } from '../../support/conversation-lists.ts';

/** The task finds out that the conversation is open elsewhere. */
const asksAbout =
  (name: string, from: OpenList, options = {}): StateChange =>
  (state) =>
    step({ ...state, dialog: copyDialog('it is open', { name, from, ...options }) });

describe('a chosen conversation that is open in another natter', () => {
  const waiting = firstRunDialog;
  const options = { isFirst: true };
  const rows = ['cccc2222', 'rrrr4444'].map((id) => listedConversation({ id }));
  const list = listOf(rows, { options, dialog: waiting });
  const chosen = run(stateOf({ list }), typed('tea'), pressed('down'), enter);
  const [{ from = list } = {}] = effectsOf(chosen.effects, 'resume');
  const asked = run(chosen.state, asksAbout('rrrr4444', from, options), taskEnded).state;

  test('leads back to the list as it was', () => {
    expect(runInApp(asked).rows.join('\n')).toContain('Esc goes back');
    for (const back of [escape, typed('2'), interrupt]) {
      const { state } = runInApp(asked, back);
      expect(state).toMatchObject({ dialog: undefined, list: { query: 'tea', selected: 1 } });
      expect(run(state, escape).state.dialog).toBe(waiting);
    }
  });

  test('leads back to a search that goes on to its end', () => {
    const many = Array.from({ length: 200 }, (_, index) => listedConversation({ id: `c${index}` }));
    const search = { searchesTexts: true, query: 'tea' };
    const first = listOf(many, { ...search, excerpts: many.slice(0, 80).map(() => 'tea') });
    const opening = run(stateOf({ list: first }), pressed('end'), enter);
    const [{ from: left = first } = {}] = effectsOf(opening.effects, 'resume');
    const { state, effects } = runInApp(opening.state, asksAbout('c79', left), taskEnded, escape);
    expect(effectsOf(effects, 'read-list')).toEqual([{ type: 'read-list', rows: many }]);
    expect(state.list?.isReading).toBe(true);
  });

  test('is opened as a copy, before the dialog that waited', () => {
    const { state, effects } = runInApp(asked, enter);
    expect(effectsOf(effects, 'resume')).toEqual([
      { type: 'resume', name: 'rrrr4444', ...options, isBranch: true, from },
    ]);
    expect(state.dialog).toBeUndefined();
  });
});
