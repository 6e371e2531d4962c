import { describe, expect, test } from 'vitest';
import { slashCommands } from '../../src/repl/commands.ts';
import { keyBindings } from '../../src/repl/composer/keys/key-bindings.ts';
import { commandGroups } from '../../src/repl/slash-command.ts';
import type { ReplState } from '../../src/repl/state.ts';
import { enter, printed, run, stateOf, typed } from '../support/repl-state.ts';

describe('/help', () => {
  const helpOf = (line: string, changes: Partial<ReplState> = {}) =>
    printed(run(stateOf(changes), typed(line), enter).effects)[0]?.split('\n') ?? [];
  const shownKeys = keyBindings.filter(({ when }) => when === 'composer' || when === 'anywhere');

  test('shows every command below the title of its group, on one row of at most 79 columns', () => {
    const rows = helpOf('/help');
    const titles = Object.values(commandGroups);
    const ofNatter = Object.keys(commandGroups).filter((group) => group !== 'prompts');
    const inOrder = ofNatter.flatMap((group) => [
      commandGroups[group as keyof typeof commandGroups],
      ...slashCommands.filter((command) => command.group === group).map(({ name }) => `/${name}`),
      '',
    ]);
    const heads = rows.map((row) => /^[/!]\S*/.exec(row)?.[0] ?? row);
    expect(heads).toEqual([...inOrder, 'More', '!command', '!!command', '//', '/help', '/help']);
    expect(titles.length).toBeGreaterThan(3);
    expect(rows.filter((row) => row.length > 79)).toEqual([]);
  });

  test('shows prompt files in a group, and those that a command hides', () => {
    const promptFiles = [
      { name: 'review', summary: 'review a change' },
      { name: 'retry', summary: '' },
    ];
    const shown = helpOf('/help prompts', { promptFiles, columns: 90 });
    expect(shown).toEqual([
      'Prompt files',
      '/review [name=value] [text]  review a change',
      'retry.md                     hidden by the command /retry; natter run retry sends it',
    ]);
    expect(helpOf('/help', { promptFiles })).toContain('Prompt files');
    expect(helpOf('/help review', { promptFiles })[0]).toBe(
      '/review [name=value] [text]: review a change',
    );
  });

  test('shows every command for all, too', () => {
    expect(helpOf('/help all')).toEqual(helpOf('/help'));
  });

  test('shows the commands of one group', () => {
    const rows = helpOf('/help answers');
    expect(rows[0]).toBe('Answers');
    expect(rows).toHaveLength(slashCommands.filter(({ group }) => group === 'answers').length + 1);
  });

  test('shows an example of every command that has an argument', () => {
    for (const { name, argument, example } of slashCommands) {
      if (argument === undefined) continue;
      expect(example).toMatch(new RegExp(`^/${name} \\S`));
      expect(helpOf(`/help ${name}`).at(-1)).toBe(`for example: ${example}`);
    }
  });

  test('keys shows every key on one row of at most 79 columns', () => {
    const rows = helpOf('/help keys');
    expect(rows).toHaveLength(shownKeys.length);
    expect(rows.filter((row) => row.length > 79)).toEqual([]);
  });

  test.each(['/help', '/help keys'])('%s breaks between words in a narrow window', (line) => {
    const rows = helpOf(line, { columns: 40 });
    expect(rows.filter((row) => row.length > 39)).toEqual([]);
    expect(rows.slice(1).filter((row) => !/^$|^\S|^ {4}\S/.test(row))).toEqual([]);
  });

  test('has sentences in line mode, and no commands that need the live region', () => {
    const rows = helpOf('/help', { isLineMode: true });
    expect(rows).toContain('/retry, optional model: get a new version of the last answer');
    const answers = slashCommands.filter(({ group }) => group === 'answers');
    expect(rows[0]).toBe(`Answers, ${answers.length} commands:`);
    expect(rows.join('\n')).not.toMatch(/\/clear|\/redraw|\/theme/);
    expect(helpOf('/help theme', { isLineMode: true }).at(-1)).toBe(
      'it has no effect in line mode',
    );
  });

  test('counts only the prompt files that are commands in line mode', () => {
    const promptFiles = ['review', 'retry'].map((name) => ({ name, summary: 'x' }));
    const rows = helpOf('/help prompts', { promptFiles, isLineMode: true });
    expect(rows[0]).toBe('Prompt files, 1 command:');
    expect(rows).toHaveLength(3);
  });

  test('keys has the keys of the line in line mode', () => {
    const rows = helpOf('/help keys', { isLineMode: true });
    expect(rows).toContain('Up and Down: earlier and later prompts');
    expect(rows.join('\n')).not.toMatch(/composer|Alt/);
  });
});
