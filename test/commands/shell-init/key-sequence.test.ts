import { expect, test } from 'vitest';
import { keySequence } from '../../../src/commands/shell-init/run.ts';
import { keys } from '../../../src/settings/value-types.ts';

const raw = String.raw;

test.each([
  ['alt-m', raw`\em`, '^[m', raw`\em`, 'Alt+m'],
  ['alt-/', raw`\e/`, '^[/', raw`\e/`, 'Alt+/'],
  ['ctrl-g', raw`\C-g`, '^G', raw`\cg`, 'Ctrl+g'],
  ['ctrl-x m', raw`\C-xm`, '^Xm', raw`\cxm`, 'Ctrl+x,m'],
  ['ctrl-x ctrl-n', raw`\C-x\C-n`, '^X^N', raw`\cx\cn`, 'Ctrl+x,Ctrl+n'],
  ['f4', raw`\eOS`, '^[OS', raw`\eOS`, 'F4'],
  ['f12', raw`\e[24~`, '^[[24~', raw`\e\[24~`, 'F12'],
])('%s is written as each shell needs it', (key, bash, zsh, fish, powershell) => {
  expect(keySequence(key, 'bash')).toBe(bash);
  expect(keySequence(key, 'zsh')).toBe(zsh);
  expect(keySequence(key, 'fish')).toBe(fish);
  expect(keySequence(key, 'powershell')).toBe(powershell);
  expect(keys.parse(key.toUpperCase())).toBe(key);
});

test.each([
  'ctrl-c',
  'ctrl-d',
  'ctrl-m',
  'ctrl-j',
  'alt-[',
  "alt-'",
  'm',
  'f13',
  'ctrl-x',
  '',
  'enter',
])('%j is no key', (key) => {
  expect(keys.parse(key)).toBeUndefined();
});
