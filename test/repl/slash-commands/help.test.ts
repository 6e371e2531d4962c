import { describe, expect, test } from 'vitest';
import { keyBindings } from '../../../src/repl/editing/keys/key-bindings.ts';
import { slashCommands } from '../../../src/repl/slash-commands/table.ts';
import type { ReplState } from '../../../src/repl/state/state.ts';
import { enter, printed, run, stateOf, typed } from '../../support/repl-state.ts';

describe('/help', () => {
  const helpOf = (line: string, changes: Partial<ReplState> = {}) =>
    printed(run(stateOf(changes), typed(line), enter).effects)[0]?.split('\n') ?? [];
  const shownKeys = keyBindings.filter(({ when }) => when === 'composer' || when === 'anywhere');

  test('shows every command on one row of at most 79 columns', () => {
    const rows = helpOf('/help');
    expect(rows.map((row) => /^\/\S*/.exec(row)?.[0])).toEqual([
      ...slashCommands.map(({ name }) => `/${name}`),
      '//',
      '/help',
    ]);
    expect(rows.filter((row) => row.length > 79)).toEqual([]);
  });

  test('keys shows every key on one row of at most 79 columns', () => {
    const rows = helpOf('/help keys');
    expect(rows).toHaveLength(shownKeys.length);
    expect(rows.filter((row) => row.length > 79)).toEqual([]);
  });

  test.each(['/help', '/help keys'])('%s breaks between words in a narrow window', (line) => {
    const rows = helpOf(line, { columns: 40 });
    expect(rows.filter((row) => row.length > 39)).toEqual([]);
    expect(rows.slice(1).filter((row) => !/^\S|^ {4}\S/.test(row))).toEqual([]);
  });

  test('has sentences in line mode, and no commands that need the live region', () => {
    const rows = helpOf('/help', { isLineMode: true });
    expect(rows).toContain('/retry [model]: get a new version of the last answer');
    expect(rows.join('\n')).not.toMatch(/\/clear|\/redraw|\/theme|\/help keys/);
  });
});
