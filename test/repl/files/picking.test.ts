import { expect, test } from 'vitest';
import { recognisePaths } from '../../../src/repl/files/dropped-files.ts';
import { onFilesPicked, pickFiles } from '../../../src/repl/menu.ts';
import { noticeOf } from '../../../src/repl/screen/App.tsx';
import type { ReplState } from '../../../src/repl/state.ts';
import {
  changeOf,
  composed,
  effectsOf,
  enter,
  escape,
  interrupt,
  pasted,
  play,
  pressed,
  type StateChange,
  stateOf,
} from '../../support/repl-state.ts';

type Keys = readonly (string | StateChange)[];

const tab = pressed('tab');
const requestsOf = ({ effects }: ReturnType<typeof play>) =>
  effectsOf(effects, pickFiles).map(({ typed: wanted }) => wanted);

test.each<[string, Keys, readonly string[]]>([
  ['follows what is typed', ['see @', 'n', 'o', pressed('backspace')], ['', 'n', 'no', 'n']],
  ['does not open in an address', ['bob@example.com'], []],
  ['does not open in a command', ['/system @'], []],
  ['does not open in a command for the shell', ['!echo @'], []],
  ['does not open in a paste', [pasted('@no')], []],
])('the file picker %s', (_what, keys, requests) => {
  expect(requestsOf(play(stateOf(), ...keys))).toEqual(requests);
});

/** What the picker found for the mention at the end of the draft. */
function found(state: ReplState, ...values: readonly string[]): StateChange {
  const { effects } = play(state, 'x', pressed('backspace'));
  const request = effectsOf(effects, pickFiles).at(-1);
  if (request === undefined) throw new Error('the picker is closed');
  const candidates = values.map((value) => ({
    value: value.replace(/\/$/, ''),
    ...(value.endsWith('/') && { isFolder: true }),
  }));
  return (before) => onFilesPicked(before, request, candidates, false);
}

/** The state after a text was typed and files were found. */
function picking(text: string, ...values: readonly string[]): ReplState {
  const { state } = play(stateOf(), text);
  return play(state, found(state, ...values)).state;
}

const [folder, closed] = [['src/a.ts', 'src/b.ts'], { completion: undefined }];

test.each<[string, string, readonly string[], Keys, object]>([
  [
    'Tab accepts the selected file',
    '@n',
    ['n.md', 'a/n.ts'],
    [tab],
    { text: '@n.md ', effects: [] },
  ],
  [
    'Enter accepts it, too',
    '@n',
    ['n.md'],
    [enter],
    { text: '@n.md ', state: closed, effects: [] },
  ],
  ['a path with a space is quoted', '@n', ['my notes.md'], [tab], { text: '@"my notes.md" ' }],
  ['Esc closes it', '@n', ['n.md'], [escape], { text: '@n', state: closed }],
  ['Ctrl+C closes it', '@n', ['n.md'], [interrupt], { text: '@n', state: closed }],
  ['Enter sends a whole path', '@n.md', ['n.md', 'n.md.bak'], [enter], { sent: ['@n.md'] }],
  ['Enter sends a whole folder', 'see @src/', folder, [enter], { sent: ['see @src/'] }],
  ['Tab continues in a folder', '@src/', folder, [tab, enter], { text: '@src/a.ts ' }],
  ['Tab twice takes its first file', '@src/', folder, [tab, tab], { text: '@src/a.ts ' }],
  ['Enter does not send all of ~/', '@~/', ['~/a.ts'], [enter], { text: '@~/a.ts ', effects: [] }],
  ['Enter does not send all of ../', '@../', ['../a'], [enter], { text: '@../a ', effects: [] }],
  ['Enter does not send all of /', '@/', ['/a.ts'], [enter], { text: '@/a.ts ', effects: [] }],
  ['keys are not for an older menu', '@n', ['notes.md'], ['ow', enter], { sent: ['@now'] }],
])('%s', (_what, text, files, keys, result) => {
  expect(play(picking(text, ...files), ...keys)).toMatchObject(result);
});

test('the picker stays closed, and continues in a chosen folder', () => {
  const { state } = play(picking('@n', 'notes.md'), escape);
  expect(requestsOf(play(state, 'o'))).toEqual([]);
  const result = play(picking('@s', 'src/'), tab);
  expect([result.text, requestsOf(result)]).toEqual(['@src/', ['src/']]);
});

test.each<[string, Keys, readonly string[], string, number | undefined]>([
  [
    'accepts the best of them',
    ['see @n', tab],
    ['notes.md', 'src/n.ts'],
    'see @notes.md ',
    undefined,
  ],
  ['selects the first of a typed folder', ['@src/', tab], folder, '@src/', 1],
  ['is forgotten with the next key', ['@n', tab, 'o'], ['notes.md'], '@no', 0],
])('Tab before the files are found %s', (_what, keys, files, draft, selected) => {
  const { state } = play(stateOf(), ...keys);
  const { state: open, text } = play(state, found(state, ...files));
  expect([text, open.completion?.selected]).toEqual([draft, selected]);
});

const checksOf = (result: ReturnType<typeof play>) => effectsOf(result.effects, recognisePaths);

/** Replaces a paste of files by mentions. */
async function recognised(result: ReturnType<typeof play>, ...since: Keys) {
  const [check] = checksOf(result);
  if (check === undefined) throw new Error('the paste was not checked');
  const { state } = play(result.state, ...since);
  const kindOf = () => 'file';
  return play(state, await changeOf(recognisePaths, check, { files: { kindOf } })).state;
}

test('a pasted path of a file becomes a mention, and undo brings it back', async () => {
  const state = await recognised(play(stateOf(), 'see ', pasted('/tmp/a.md ')));
  expect(composed(state)).toBe('see @/tmp/a.md ');
  expect(noticeOf(state)).toContain('undoes it');
  const undone = play(state, pressed('_', { ctrl: true })).state;
  expect(composed(undone)).toBe('see /tmp/a.md ');
  expect(noticeOf(undone)).toBeUndefined();
});

test('a pasted path stays if the text has changed, and the caret behind what was typed since', async () => {
  const path = play(stateOf(), pasted('/tmp/a.md'));
  expect(play(await recognised(path, ' is'), '!').text).toBe('@/tmp/a.md is!');
  expect(composed(await recognised(path, pressed('backspace')))).toBe('/tmp/a.m');
  const many = Array.from({ length: 9 }, (_, index) => `/tmp/${index}.md`).join('\n');
  const long = play(stateOf(), pasted(many));
  expect(composed(await recognised(long))).toMatch(/^@\/tmp\/0\.md .* @\/tmp\/8\.md $/);
});

test.each([
  ['a word', [pasted('notes')]],
  ['a path within a word', ['a', pasted('/tmp/a.md')]],
  ['the argument of a command', ['/attach ', pasted('/tmp/a.md')]],
  ['the argument of a command for the shell', ['!cat ', pasted('/tmp/a.md')]],
  ['a very long paste', [pasted(`/${'a'.repeat(10_000)}`)]],
  ['a typed path', ['/tmp/a.md']],
])('%s is not checked', (_what, actions) => {
  expect(checksOf(play(stateOf(), ...actions))).toEqual([]);
});
