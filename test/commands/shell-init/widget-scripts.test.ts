import { expect, test } from 'vitest';
import { widgetScript } from '../../../src/commands/shell-init/run.ts';

const shells = ['bash', 'zsh', 'fish', 'powershell'] as const;

test.each(shells)('the script of %s is ASCII, and passes no text as an argument', (shell) => {
  const call = `natter shell-init ${shell} --profile work`;
  const script = widgetScript(shell, call, { suggest: 'alt-m', explain: 'f4' });
  expect(script).toMatch(/^[\n\x20-\x7E]+$/);
  expect(script).toContain(`${call} --suggest`);
  expect(script).toContain(`${call} --explain `);
  const calls = script.split('\n').filter((line) => line.includes(call));
  expect(calls).toHaveLength(2);
  for (const line of calls) {
    expect(line).toMatch(/\| (?:command )?natter shell-init/);
    expect(line.split(call)[1]).not.toMatch(/BUFFER|READLINE_LINE|history|\$line|\$last/);
  }
});

test.each(shells)('the script of %s without keys binds nothing', (shell) => {
  const script = widgetScript(shell, 'natter shell-init x', { suggest: 'none', explain: 'none' });
  expect(script).not.toMatch(/bind -m|bindkey|bind -M|Set-PSReadLineKeyHandler/);
});

/** `trap -p` prints the earlier trap of the shell, which is the only text that is evaluated. */
test('only the script of bash evaluates, and only its own traps', () => {
  const keys = { suggest: 'alt-m', explain: 'alt-i' };
  for (const shell of shells) {
    const evaluated = [
      ...widgetScript(shell, 'natter shell-init x', keys).matchAll(/\beval\b.*|Invoke-Expression/g),
    ];
    const expected = shell === 'bash' ? 'eval "$saved"' : '';
    expect(evaluated.every(([text]) => text.startsWith(expected) && expected !== '')).toBe(true);
    expect(evaluated).toHaveLength(shell === 'bash' ? 2 : 0);
  }
});
