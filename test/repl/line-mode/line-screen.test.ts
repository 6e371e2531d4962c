import { setImmediate as tick } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { remember } from '../../../src/repl/queue.ts';
import type { PathList } from '../../../src/input/find-files.ts';
import { createHistory } from '../../../src/repl/composer/history.ts';
import { serversDialog } from '../../../src/repl/connection.ts';
import type { ReplFiles } from '../../../src/repl/files/user-files.ts';
import { LineScreen } from '../../../src/repl/line-mode/line-screen.ts';
import type { Session } from '../../../src/repl/session.ts';
import type { AnswerActivity, Dialog, ReplState } from '../../../src/repl/state.ts';
import { closeDialog } from '../../../src/repl/step.ts';
import { createMemoryDevice, createMemoryOutput } from '../../support/memory-context.ts';
import { openMemorySession } from '../../support/memory-session.ts';
import { fc } from '../../support/properties.ts';
import { effectsIn, effectsOf, stateOf, waitingAnswer } from '../../support/repl-state.ts';
import { createScreen } from '../../support/screen.ts';

interface ScreenOptions {
  readonly columns?: number;
  /** Columns between which notices and questions are broken. */
  readonly width?: number;
  /** Otherwise the terminal edits the lines. */
  readonly editsLines?: boolean;
  readonly files?: Partial<ReplFiles>;
  readonly state?: Partial<ReplState>;
}

/** Line mode on a terminal in memory. No prompt is sent. */
function open(options: ScreenOptions = {}) {
  const { columns = 40, width = 80, editsLines = true, files } = options;
  const terminal = createScreen(columns, 12);
  const { device, log, type: typeBytes } = createMemoryDevice();
  // In Node's raw mode the terminal still turns LF into CR LF.
  const write = (text: string) => terminal.write(text.replaceAll('\n', '\r\n'));
  const stdout = { ...createMemoryOutput(true, columns), write };
  const { session, clock } = openMemorySession({
    repl(usual) {
      const streams = { ...usual.context.streams, stdout };
      const context = { ...usual.context, device, streams };
      return { ...usual, context, files: { ...usual.files, ...files } };
    },
  });
  let state = stateOf({ isLineMode: true, ...options.state });
  const entered: string[] = [];
  const events: string[] = [];
  const update: Session['update'] = (change) => {
    const next = change(state);
    const effects = effectsIn(next);
    entered.push(...effectsOf(effects, remember).map(({ input }) => input));
    if (next.state.hasQuit) events.push('quit');
    if (next.state.armed === 'interrupt' && state.armed === undefined) events.push('interrupt');
    state = { ...next.state, activity: undefined };
    screen.show(state);
  };
  const screen = new LineScreen(session, state, update, editsLines, () => width);
  screen.start();
  /** Types each text in one read, and waits for what it starts. */
  const type = async (...keys: readonly string[]) => {
    for (const key of keys) {
      typeBytes(key);
      await tick();
      await clock.advance(50);
      await tick();
    }
  };
  /** Shows each state, and waits until it is written. */
  const show = async (...states: readonly ReplState[]) => {
    for (const shown of states) {
      state = shown;
      screen.show(shown);
      await tick();
    }
  };
  const text = () => terminal.output.join('').replaceAll('\r\n', '\n');
  return { terminal, screen, type, typeBytes, show, text, entered, events, log };
}

/** The same, after the question `You: `. */
async function openAsked(options: ScreenOptions = {}) {
  const opened = open(options);
  opened.screen.redraw();
  await tick();
  return opened;
}

test('sanitizes the models that a server lists', async () => {
  const { show, text } = open();
  const url = 'http://127.0.0.1:8080';
  const models = ['lla\u001B]0;title\u0007ma'];
  const { service } = stateOf();
  await show(stateOf({ dialog: serversDialog(service, [{ name: 'Ollama', url, models }]) }));
  expect(text()).toContain('  1 use Ollama at http://127.0.0.1:8080 (llama)\n');
});

const streaming: AnswerActivity = { ...waitingAnswer, phase: 'streaming' };

test('reports a stalled answer once, on a separate line', async () => {
  const { screen, show, text } = open({ state: { activity: streaming } });
  screen.write('origin: The kettle');
  await show(...[4999, 5000, 6000].map((now) => stateOf({ activity: streaming, now })));
  screen.write(' boils.\n');
  expect(text()).toBe(
    'origin: The kettle\nnatter: nothing for 5 s; Ctrl+C stops and keeps the text\n boils.\n',
  );
});

test('reports that a stalled answer continues, not that it ends', async () => {
  const { show, text } = open({ state: { activity: streaming } });
  await show(stateOf({ activity: streaming, now: 5000 }));
  await show(stateOf({ activity: { ...streaming, lastAt: 6000 }, now: 6000 }));
  await show(stateOf({ activity: { ...streaming, lastAt: 6000 }, now: 11_000 }));
  await show(stateOf({ now: 12_000 }));
  expect(text().match(/natter: [^;\n]+/g)).toEqual([
    'natter: nothing for 5 s',
    'natter: origin continues',
    'natter: nothing for 5 s',
  ]);
});

test('sanitizes the cause of a retry', async () => {
  const retry = { cause: 'the service\u001B[2J failed', retry: 1, retries: 4, at: 3000 };
  const activity: AnswerActivity = { ...streaming, phase: 'retrying', retry };
  const { show, text } = open({ width: 100 });
  await show(stateOf({ activity }));
  expect(text()).toBe(
    'natter: the service failed; retry 1 of 4 in 3 s; Enter retries now, Ctrl+C gives up\n',
  );
});

test('breaks notices and questions between words', async () => {
  const { show, text } = open({ width: 30, state: { activity: streaming } });
  await show(stateOf({ activity: streaming, now: 5000 }));
  expect(text()).toBe('natter: nothing for 5 s;\nCtrl+C stops and keeps the\ntext\n');
});

function secretDialog() {
  const secrets: string[] = [];
  const dialog: Dialog = {
    type: 'entry',
    title: 'a new key',
    label: 'API key',
    text: '',
    isHidden: true,
    cancel: closeDialog,
    enter(state, text) {
      secrets.push(text);
      return closeDialog(state);
    },
  };
  return { secrets, dialog };
}

test.each([
  [true, ['raw']],
  [false, ['raw', 'cooked']],
])(
  'K2: reads a hidden line as it is typed, and neither it nor the terminal shows it',
  async (editsLines, modes) => {
    const { secrets, dialog } = secretDialog();
    const { screen, type, text, log } = open({ editsLines, state: { dialog } });
    screen.show(stateOf({ dialog }));
    await type('sec', 'retX', '\u007F', '\\', '\r');
    expect(secrets).toEqual(['secret\\']);
    expect(text()).not.toContain('sec');
    expect(log).toEqual(modes);
  },
);

test('a secret is not on the line before or after it, and what was typed before returns', async () => {
  const { secrets, dialog } = secretDialog();
  const { type, show, text, entered } = await openAsked();
  await type('draft');
  await show(stateOf({ isLineMode: true, dialog }));
  await type('secret\u0015\u0019\rrest of it\r', '\u0019', '\r');
  expect([secrets, entered]).toEqual([['secret'], ['draft']]);
  expect(text()).not.toMatch(/secret|rest/);
});

test('joins a line that ends with a backslash with the next one, even if that is typed later', async () => {
  const { entered, type } = open({ editsLines: false });
  await type('one\\\ntwo\\\n');
  expect(entered).toEqual([]);
  // X29: an arrow key, which the terminal passes on, is not a part of the line.
  await type('th\u001B[Dree\n');
  expect(entered).toEqual(['one\ntwo\nthree']);
});

test('X29: reads lines that the terminal edits without escape sequences, however they are split', async () => {
  const bytes = Buffer.from('one\ntwö 🙂\r\nthr\u001B[Dee\n\nfour\n');
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(bytes.length), { maxLength: 8 }), async (cuts) => {
      const { typeBytes, entered, type } = open({ editsLines: false });
      const points = [0, ...[...cuts].sort((one, other) => one - other), bytes.length];
      for (const [index, end] of points.slice(1).entries()) {
        typeBytes(bytes.subarray(points[index], end));
      }
      await type('');
      expect(entered).toEqual(['one\ntwö 🙂\nthree\n\nfour']);
    }),
  );
});

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
  ['a pasted control character', ['\u001B[200~a\u0007b\u001B[201~'], 'a\u0007b'],
  ['keys without a binding', ['a', '\u001B[15~', '\u001B[I', '\u001B[57358;1u', 'b'], 'ab'],
])('X29: %s edit the line, which gets no escape sequences', async (_, keys, line) => {
  const { terminal, type, entered } = await openAsked();
  await type(...keys);
  const shown = line.replaceAll('\t', '    ').replaceAll('\u0007', '␇');
  expect((await terminal.screen())[0]?.trimEnd()).toBe(`You: ${shown}`);
  await type('\r');
  expect(entered).toEqual([line]);
});

test('X29: editing at the end of a row writes no escape sequence', async () => {
  const { terminal, type, text } = await openAsked();
  await type('hello world', backspace, left, left, 'x', home, erase, end, up, '\u0015', 'again');
  expect(text()).not.toContain('\u001B');
  expect((await terminal.screen())[0]?.trimEnd()).toBe('You: again');
});

test('X29: typing at the end writes only the typed characters', async () => {
  const { terminal, type } = await openAsked();
  terminal.output.length = 0;
  await type('h', 'i');
  expect(terminal.output).toEqual(['h', 'i']);
});

test('X29: the screen shows the line and the caret for any input, on many rows too', async () => {
  const texts = ['a', 'word ', '日', 'é', '🎉', 'a long piece of text '];
  const moves = [left, right, home, end, wordLeft];
  const cuts = [erase, backspace, '\u000B', '\u0015', '\u0019'];
  const keys = fc.constantFrom(...texts, ...moves, ...cuts);
  await fc.assert(
    fc.asyncProperty(fc.array(keys, { maxLength: 40 }), async (typed) => {
      const { terminal, type, entered } = await openAsked({ columns: 20 });
      await type(...typed);
      const [shown = ''] = await terminal.lines();
      const mark = '|';
      await type(mark);
      const [marked = ''] = await terminal.lines();
      await type('\r');
      const [line = ''] = entered;
      // A wide character that does not fit leaves the last column of its row empty.
      const bare = (text: string) => text.replaceAll(/\s/g, '');
      expect(bare(shown)).toBe(bare(`You: ${line.replace(mark, '')}`));
      expect(bare(marked)).toBe(bare(`You: ${line}`));
    }),
    { numRuns: 300 },
  );
});

test('X29: text typed while the line is hidden appears with the next question', async () => {
  const activity = streaming;
  const { terminal, screen, show, type, entered, events } = await openAsked();
  await type('one');
  await show(stateOf({ isLineMode: true, activity }));
  screen.write('origin: text\n');
  await type(' two', left);
  await show(stateOf({ isLineMode: true }));
  await type('x');
  expect(await terminal.screen()).toEqual(['You: one', 'origin: text', 'You: one twxo']);
  await type('\r');
  expect([entered, events]).toEqual([['one twxo'], []]);
});

const search = '\u0012';
const enter = '\r';
const interrupt = '\u0003';
const history = createHistory(['tea one', 'coffee', 'tea two']);
const kindOf = (path: string) => (path === '/tmp/my file' ? 'file' : undefined);

/** A row has the keys, and what is entered. */
test.each([
  ['X29: Up recalls a prompt, which can be changed', ['draft', up, '!', enter], ['tea two!']],
  ['X29: Up twice recalls the one before', [up, up, enter], ['coffee']],
  ['X29: Down returns to the draft', ['draft', up, up, down, down, enter], ['draft']],
  ['a paste that ends inside a line waits for its end', ['one\rtwö\rthree', end], []],
  ['X29: the lines of a paste are one prompt', ['one\rtwö\rthr', 'ee\r'], ['one\ntwö\nthree']],
  ['X29: a paste with brackets has lines', ['\u001B[200~one\ntwo\u001B[201~', enter], ['one\ntwo']],
  ['Ctrl+C discards the lines of a paste', ['one\rtwo', interrupt, 'b', enter], ['b']],
  ['a search without a match keeps the draft', ['d', search, 'zz', enter, '!', enter], ['d!']],
  ['a cancelled search keeps it', ['d', search, 'tea', interrupt, '!', enter], ['d!']],
  ['an empty search keeps it', ['d', search, enter, '!', enter], ['d!']],
  ['Up does nothing in a search', ['d', search, up, enter, '!', enter], ['d!']],
  ['Up after a search recalls what is before', [search, 'cof', enter, up, enter], ['tea one']],
  ['a tab in a paste is text', ['c\td', enter], ['c\td']],
  ['a dropped file becomes a mention', ['see ', '/tmp/my\\ file', enter], ['see @"/tmp/my file" ']],
  ['Ctrl+_ brings its path back', ['/tmp/my\\ file', '\u001F', enter], ['/tmp/my\\ file']],
  ['within a word a path is text', ['see', '/tmp/my\\ file', enter], ['see/tmp/my\\ file']],
  ['in a command it is text', ['/save ', '/tmp/my\\ file', enter], ['/save /tmp/my\\ file']],
  ['other paths are text', ['/tmp/other', enter], ['/tmp/other']],
])('%s', async (_, keys, lines) => {
  const { type, entered, events } = await openAsked({ files: { kindOf }, state: { history } });
  await type(...keys);
  expect([entered, events]).toEqual([lines, []]);
});

test('X29: the bytes of a line may be split anywhere', async () => {
  const { typeBytes, type, entered } = await openAsked();
  for (const byte of Buffer.from('日本\u001B[D語\r')) typeBytes(Uint8Array.of(byte));
  await type('');
  expect(entered).toEqual(['日語本']);
});

test('X29: Ctrl+C discards the line, then interrupts; Ctrl+D ends on an empty line; Ctrl+Z suspends', async () => {
  const { type, entered, events } = await openAsked();
  await type('draft', interrupt);
  expect(events).toEqual([]);
  await type(interrupt, 'x', '\u0004', '\u0001', '\u0004');
  expect(events).toEqual(['interrupt']);
  await type('\u0004', '\u001A');
  expect(events).toEqual(['interrupt', 'quit']);
  expect(entered).toEqual([]);
});

test('Ctrl+R asks for a text and shows the prompts that contain it, newest first', async () => {
  const { terminal, type, entered } = await openAsked({ columns: 60, state: { history } });
  await type('draft', search, 'tea', enter, search, search, '!', enter);
  expect((await terminal.screen()).slice(0, 9)).toEqual([
    'You: draft',
    'Search earlier prompts for: tea',
    'natter: match 1 of 2; Ctrl+R finds an older one',
    'You: tea two',
    'natter: match 2 of 2',
    'You: tea one',
    'natter: no older prompt contains "tea"',
    'You: tea one!',
    'You: ',
  ]);
  expect(entered).toEqual(['tea one!']);
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
  const { type, entered, terminal } = await openAsked({
    columns: 80,
    files: { paths: async () => choices },
  });
  await type('read @re', '\t', tabs);
  expect((await terminal.screen())[1]).toBe(
    'natter: 2 choices: docs/red.md, src/report.ts; Tab takes the first',
  );
  await type(enter);
  expect(entered).toEqual([line]);
});

test.each([
  ['that are pressed meanwhile take the choices', ['\t\t\t'], 'read @src/report.ts '],
  ['have no effect after the line changed', ['\t', 'x'], 'read @rex'],
])('while files are looked for, Tabs %s', async (_, keys, line) => {
  let find: (found: PathList) => void = () => undefined;
  const paths = () => new Promise<PathList>((resolve) => (find = resolve));
  const { type, entered } = await openAsked({ files: { paths } });
  await type('read @re', ...keys);
  find(choices);
  await type('', enter);
  expect(entered).toEqual([line]);
});
