import { expect, test } from 'vitest';
import type { CompletionRequest } from '../../../src/repl/composer/completion.ts';
import { createHistory } from '../../../src/repl/composer/history.ts';
import { offerChoices } from '../../../src/repl/line-mode/line-completion.ts';
import { LineEditor, type LineEditorOptions } from '../../../src/repl/line-mode/line-editor.ts';
import { createFakeClock } from '../../support/fake-clock.ts';

function open(options: Partial<LineEditorOptions>) {
  const lines: string[] = [];
  const said: string[] = [];
  const editor = new LineEditor({
    clock: createFakeClock(),
    write: () => undefined,
    columns: () => 80,
    history: () => createHistory([]),
    onLine: (text) => lines.push(text),
    onUnfinished: () => undefined,
    onCleared: () => undefined,
    onInterrupt: () => undefined,
    onDiscarded: () => undefined,
    onEnd: () => undefined,
    onSuspend: () => undefined,
    isPrompt: () => true,
    complete: (buffer) => ({ buffer, words: undefined }),
    mentionsOf: () => undefined,
    say: (words) => said.push(words),
    ...options,
  });
  editor.show(0);
  const type = (...keys: readonly string[]) => {
    for (const key of keys) editor.feed(Buffer.from(key));
  };
  return { type, lines, said };
}

const mention: CompletionRequest = {
  kind: 'path',
  isMention: true,
  folder: '',
  from: 6,
  to: 8,
  typed: 're',
};
const report = { value: 'src/report.ts' };
const files = [report, { value: 'docs/red.md' }];

test.each([
  ['', 'read @re'],
  ['\t', 'read @src/report.ts '],
  ['\t\t', 'read @docs/red.md '],
  ['\t\t\t', 'read @src/report.ts '],
])('further Tabs take the choices in turn: %j', (tabs, line) => {
  const complete: LineEditorOptions['complete'] = (buffer) => offerChoices(buffer, mention, files);
  const { type, lines, said } = open({ complete });
  type('read @re', '\t', tabs, '\r');
  expect(lines).toEqual([line]);
  expect(said[0]).toBe('2 choices: src/report.ts, docs/red.md; Tab takes the first');
});

test('Tabs pressed while the files are looked for take the choices', async () => {
  const found: (() => void)[] = [];
  const { type, lines } = open({
    complete: (buffer) =>
      new Promise((resolve) => found.push(() => resolve(offerChoices(buffer, mention, files)))),
  });
  type('read @re', '\t\t\t');
  found[0]?.();
  await Promise.resolve();
  type('\r');
  expect([lines, found.length]).toEqual([['read @docs/red.md '], 1]);
});

test('files that are found after the line changed are not offered', async () => {
  const found: (() => void)[] = [];
  const { type, lines } = open({
    complete: (buffer) =>
      new Promise((resolve) => found.push(() => resolve(offerChoices(buffer, mention, [report])))),
  });
  type('read @re', '\t', 'x');
  found[0]?.();
  await Promise.resolve();
  type('\r');
  expect(lines).toEqual(['read @rex']);
});

const mentionsOf = (text: string) =>
  text.trim() === '/tmp/my\\ file' ? '@"/tmp/my file"' : undefined;

test.each([
  ['a dropped file becomes a mention', ['see ', '/tmp/my\\ file'], 'see @"/tmp/my file" '],
  ['Ctrl+_ brings its path back', ['/tmp/my\\ file', '\u001F'], '/tmp/my\\ file'],
  ['within a word it is text', ['see', '/tmp/my\\ file'], 'see/tmp/my\\ file'],
  ['in a command it is text', ['/attach ', '/tmp/my\\ file'], '/attach /tmp/my\\ file'],
  ['other paths are text', ['/tmp/other'], '/tmp/other'],
])('%s', (_, keys, line) => {
  const { type, lines } = open({ mentionsOf });
  type(...keys, '\r');
  expect(lines).toEqual([line]);
});
