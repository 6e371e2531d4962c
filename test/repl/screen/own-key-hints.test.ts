import { expect, test } from 'vitest';
import { ownKeyMap } from '../../../src/repl/composer/keys/key-bindings.ts';
import { createBuffer, draftFrom } from '../../../src/repl/composer/text-buffer.ts';
import { showHelp } from '../../../src/repl/commands.ts';
import { noticeOf } from '../../../src/repl/screen/App.tsx';
import { runForShell } from '../../../src/repl/shell/shell-command.ts';
import type { ReplState } from '../../../src/repl/state.ts';
import { welcomeEntry } from '../../../src/repl/run.ts';
import { printed, stateOf, effectsIn } from '../../support/repl-state.ts';

const keyMap = ownKeyMap(
  {
    send: 'alt+s',
    interrupt: 'ctrl+q',
    stash: 'f6',
    undo: 'f7',
    'move-up': 'f8',
    'new-line': 'f9',
  },
  'default',
);

test.each<[Partial<ReplState>, string]>([
  [{ armed: 'interrupt' }, 'press Ctrl+Q again to quit'],
  [{ armed: 'send' }, 'press Alt+S again to quit'],
  [{ stash: [draftFrom('a')] }, 'F6 restores the stashed draft'],
  [{ queue: [draftFrom('a')], isQueuePaused: true }, 'Alt+S sends the queue, F8 edits it'],
  [{ composer: createBuffer('@a'), recognised: '@a' }, '@ attaches the file; F7 undoes it'],
  // An action without a key is omitted.
  [
    { stash: [draftFrom('a')], keyMap: ownKeyMap({ stash: 'none' }, 'default') },
    'after this prompt: the stashed draft',
  ],
])('with %j a notice names keys of the user', (parts, notice) => {
  expect(noticeOf(stateOf({ keyMap, ...parts }))).toBe(notice);
});

test('the first row and the help name keys of the user', () => {
  expect(welcomeEntry(stateOf({ keyMap }))).toMatchObject({
    text: expect.stringContaining('F9 new line') as unknown,
  });
  const help = (isLineMode: boolean, topic: string) =>
    printed(effectsIn(showHelp(stateOf({ keyMap, isLineMode, columns: 100 }), topic)))[0];
  expect(help(false, '')).toContain('Alt+S, F9, Esc, Ctrl+Q');
  expect(help(true, 'keys')).toMatch(/^Alt\+S: send, or [^]*\nCtrl\+Q: stop the answer/m);
});

test.each<[string, Record<string, string>, Partial<ReplState>, string]>([
  ['the default keys', {}, {}, 'Esc ends it'],
  ['keys of the user', { stop: 'f6', interrupt: 'ctrl+q' }, {}, 'F6 ends it'],
  ['one key', { stop: 'none' }, {}, 'input; Ctrl+C ends it'],
  ['the key of line mode', { stop: 'f6' }, { isLineMode: true }, 'input; Ctrl+C ends it'],
])('a single ! explains %s of a command for the shell', (_, keys, parts, text) => {
  const state = stateOf({ keyMap: ownKeyMap(keys, 'default'), ...parts });
  const effects = effectsIn(runForShell(state, draftFrom('!'), false));
  expect(printed(effects).join('\n')).toContain(text);
});
