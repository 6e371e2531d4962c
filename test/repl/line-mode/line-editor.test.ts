import { setImmediate as tick } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { PathList } from '../../../src/input/find-files.ts';
import { createHistory } from '../../../src/repl/composer/history.ts';
import type { ReplFiles } from '../../../src/repl/files/user-files.ts';
import { LineEditor } from '../../../src/repl/line-mode/line-editor.ts';
import { createMemoryOutput } from '../../support/memory-context.ts';
import { openMemorySession } from '../../support/memory-session.ts';
import { fc } from '../../support/properties.ts';
import { createScreen } from '../../support/screen.ts';

interface EditorOptions {
  readonly columns?: number;
  readonly history?: readonly string[];
  readonly files?: Partial<ReplFiles>;
}

/** An editor of lines on a screen in memory, after the question `You: `. */
function openEditor({ columns = 40, history = [], files }: EditorOptions = {}) {
  const screen = createScreen(columns, 12);
  const lines: string[] = [];
  const events: string[] = [];
  // In Node's raw mode the terminal still turns LF into CR LF.
  const write = (text: string) => screen.write(text.replaceAll('\n', '\r\n'));
  const ask = () => {
    const question = editor.isSearching() ? 'Search: ' : 'You: ';
    write(question);
    editor.show(question.length);
  };
  const { session } = openMemorySession({
    repl: (usual) => ({
      ...usual,
      files: { ...usual.files, ...files },
      context: {
        ...usual.context,
        streams: {
          ...usual.context.streams,
          stdout: { ...createMemoryOutput(true, columns), write },
        },
      },
    }),
    screen: {
      redraw() {
        events.push('discarded');
        ask();
      },
      suspend: () => void events.push('suspend'),
    },
    state: { history: createHistory(history) },
  });
  const editor = new LineEditor(session, {
    collect: (entered) => void lines.push(...entered),
    wait: () => void events.push('unfinished'),
    discard: () => void events.push('cleared'),
    interrupt: () => void events.push('interrupt'),
    end: () => void events.push('end'),
    say(words) {
      editor.hide();
      write(`\nnatter: ${words}\n`);
      ask();
    },
  });
  ask();
  /** Types each text in one read, and waits for what it starts. */
  const type = async (...keys: readonly string[]) => {
    for (const key of keys) {
      editor.feed(Buffer.from(key));
      await tick();
    }
  };
  return { screen, editor, type, lines, events };
}

const left = '\u001B[D';
const right = '\u001B[C';
const up = '\u001B[A';
const down = '\u001B[B';
const home = '\u001B[H';
const end = '\u001B[F';
const erase = '\u001B[3~';
const backspace = '\u007F';
const wordLeft = '\u001Bb';
const wordRight = '\u001B[1;5C';

test.each([
  ['left and right', ['helo', left, 'l', right, '!'], 'hello!'],
  ['home and end', ['ello', home, 'h', end, '!'], 'hello!'],
  ['Delete and Backspace', ['hxelloy', backspace, home, right, erase], 'hello'],
  ['motions by words', ['one three', wordLeft, 'two ', home, wordRight, ','], 'one, two three'],
  [
    'Ctrl+A, Ctrl+K and Ctrl+Y',
    ['world hello ', '\u0001', wordRight, '\u000B', '\u0001', '\u0019'],
    ' hello world',
  ],
  ['Ctrl+U and Ctrl+W', ['a b c', '\u0017', 'd'], 'a b d'],
  ['wide characters', ['日本', left, '🎉', end, 'é'], '日🎉本é'],
  ['a tab', ['a\tb'], 'a\tb'],
  ['keys without a binding', ['a', '\u001B[15~', '\u001B[I', '\u001B[57358;1u', 'b'], 'ab'],
])('X29: %s edit the line, which gets no escape sequences', async (_, keys, text) => {
  const { screen, type, lines } = openEditor();
  await type(...keys);
  expect((await screen.screen())[0]?.trimEnd()).toBe(`You: ${text.replaceAll('\t', '    ')}`);
  await type('\r');
  expect(lines).toEqual([text]);
});

test('X29: editing at the end of a row writes no escape sequence', async () => {
  const { screen, type } = openEditor();
  await type('hello world', backspace, left, left, 'x', home, erase, end, up, '\u0015', 'again');
  expect(screen.output.join('')).not.toContain('\u001B');
  expect((await screen.screen())[0]?.trimEnd()).toBe('You: again');
});

test('X29: typing at the end writes only the typed characters', async () => {
  const { screen, type } = openEditor();
  screen.output.length = 0;
  await type('h', 'i');
  expect(screen.output).toEqual(['h', 'i']);
});

test('X29: the screen shows the line and the caret for any input, on many rows too', async () => {
  const texts = ['a', 'word ', '日', 'é', '🎉', 'a long piece of text '];
  const moves = [left, right, home, end, wordLeft];
  const cuts = [erase, backspace, '\u000B', '\u0015', '\u0019'];
  const keys = fc.constantFrom(...texts, ...moves, ...cuts);
  await fc.assert(
    fc.asyncProperty(fc.array(keys, { maxLength: 40 }), async (typed) => {
      const { screen, editor, type, lines } = openEditor({ columns: 20 });
      await type(...typed);
      const [shown = ''] = await screen.lines();
      const mark = '|';
      await type(mark);
      const [marked = ''] = await screen.lines();
      editor.hide();
      await type('\r');
      const [line = ''] = lines;
      // A wide character that does not fit leaves the last column of its row empty.
      const bare = (text: string) => text.replaceAll(/\s/g, '');
      expect(bare(shown)).toBe(bare(`You: ${line.replace(mark, '')}`));
      expect(bare(marked)).toBe(bare(`You: ${line}`));
    }),
    { numRuns: 300 },
  );
});

test('X29: text typed while the line is hidden appears with the next question', async () => {
  const { screen, editor, type, lines, events } = openEditor();
  await type('one');
  editor.hide();
  screen.write('\r\norigin: text');
  await type(' two', left, '\u0003');
  screen.write('\r\nYou: ');
  editor.show(5);
  await type('x');
  expect(await screen.screen()).toEqual(['You: one', 'origin: text', 'You: one twxo']);
  await type('\r');
  expect([lines, events]).toEqual([['one twxo'], ['interrupt']]);
});

const search = '\u0012';
const enter = '\r';
const interrupt = '\u0003';
const tea = ['tea one', 'coffee', 'tea two'];
const kindOf = (path: string) => (path === '/tmp/my file' ? 'file' : undefined);

/** A row has the keys, and the entered lines. */
test.each([
  ['X29: Up recalls a prompt, which can be changed', ['draft', up, '!', enter], ['tea two!']],
  ['X29: Up twice recalls the one before', [up, up, enter], ['coffee']],
  ['X29: Down returns to the draft', ['draft', up, up, down, down, enter], ['draft']],
  ['X29: lines of a paste are entered one by one', ['one\rtwö\rthree', end], ['one', 'twö']],
  [
    'X29: a paste with brackets has lines',
    ['\u001B[200~one\ntwo\u001B[201~', enter],
    ['one', 'two'],
  ],
  ['a search without a match keeps the draft', ['d', search, 'zz', enter, '!', enter], ['d!']],
  ['a cancelled search keeps it', ['d', search, 'tea', interrupt, '!', enter], ['d!']],
  ['an empty search keeps it', ['d', search, enter, '!', enter], ['d!']],
  ['Up after a search recalls what is before', [search, 'cof', enter, up, enter], ['tea one']],
  ['a tab in a paste is text', ['c\td', enter], ['c\td']],
  ['a dropped file becomes a mention', ['see ', '/tmp/my\\ file', enter], ['see @"/tmp/my file" ']],
  ['Ctrl+_ brings its path back', ['/tmp/my\\ file', '\u001F', enter], ['/tmp/my\\ file']],
  ['within a word a path is text', ['see', '/tmp/my\\ file', enter], ['see/tmp/my\\ file']],
  ['in a command it is text', ['/save ', '/tmp/my\\ file', enter], ['/save /tmp/my\\ file']],
  ['other paths are text', ['/tmp/other', enter], ['/tmp/other']],
])('%s', async (_, keys, entered) => {
  const { type, lines, events } = openEditor({ history: tea, files: { kindOf } });
  await type(...keys);
  expect(lines).toEqual(entered);
  expect(events).not.toContain('interrupt');
});

test('X29: the bytes of a line may be split anywhere', () => {
  const { editor, lines } = openEditor();
  for (const byte of Buffer.from('日本\u001B[D語\r')) editor.feed(Uint8Array.of(byte));
  expect(lines).toEqual(['日語本']);
});

test('X29: Ctrl+C discards the line, then interrupts; Ctrl+D ends on an empty line; Ctrl+Z suspends', async () => {
  const { type, lines, events } = openEditor();
  await type('draft', '\u0003', '\u0003', 'x', '\u0004', '\u0001', '\u0004', '\u0004', '\u001A');
  expect(events).toEqual(['cleared', 'discarded', 'interrupt', 'end', 'suspend']);
  expect(lines).toEqual([]);
});

test('Ctrl+R asks for a text and shows the prompts that contain it, newest first', async () => {
  const { screen, type, lines } = openEditor({ columns: 60, history: tea });
  await type('draft', search, 'tea', enter, search, search, '!', enter);
  expect(await screen.screen()).toEqual([
    'You: draft',
    'Search: tea',
    'You: draft',
    'natter: match 1 of 2; Ctrl+R finds an older one',
    'You: tea two',
    'natter: match 2 of 2',
    'You: tea one',
    'natter: no older prompt contains "tea"',
    'You: tea one!',
  ]);
  expect(lines).toEqual(['tea one!']);
});

test('a paste that ends inside a line waits for the rest of the line', async () => {
  const { lines, events, type } = openEditor();
  await type('one\rtwo\rthr');
  expect([lines, events]).toEqual([['one', 'two'], ['unfinished']]);
  await type('ee\r');
  expect([lines, events]).toEqual([['one', 'two', 'three'], ['unfinished']]);
  await type('four\nfive', '\u0003');
  expect(events).toEqual(['unfinished', 'unfinished', 'cleared', 'discarded']);
});

const choices: PathList = {
  paths: ['src/report.ts', 'docs/red.md'].map((path) => ({ path, isFolder: false })),
  isPartial: false,
};

test.each([
  ['', 'read @re'],
  ['\t', 'read @docs/red.md '],
  ['\t\t', 'read @src/report.ts '],
  ['\t\t\t', 'read @docs/red.md '],
])('further Tabs take the choices in turn: %j', async (tabs, line) => {
  const { type, lines, screen } = openEditor({
    columns: 80,
    files: { paths: async () => choices },
  });
  await type('read @re', '\t', tabs);
  expect((await screen.screen())[1]).toBe(
    'natter: 2 choices: docs/red.md, src/report.ts; Tab takes the first',
  );
  await type(enter);
  expect(lines).toEqual([line]);
});

test.each([
  ['that are pressed meanwhile take the choices', ['\t\t\t'], 'read @src/report.ts '],
  ['have no effect after the line changed', ['\t', 'x'], 'read @rex'],
])('while files are looked for, Tabs %s', async (_, keys, line) => {
  let find: (found: PathList) => void = () => undefined;
  const paths = () => new Promise<PathList>((resolve) => (find = resolve));
  const { type, lines } = openEditor({ files: { paths } });
  await type('read @re', ...keys);
  find(choices);
  await type('', enter);
  expect(lines).toEqual([line]);
});
