import { join } from 'node:path';
import { setImmediate as tick } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import type { ProgramClock } from '../../../src/clock.ts';
import type { ChatOptions } from '../../../src/commands/chat/run.ts';
import { runRepl } from '../../../src/repl/run.ts';
import { startRun } from '../../../src/run.ts';
import { folderOf } from '../../support/folder.ts';
import { createMemoryContext, createMemoryDevice } from '../../support/memory-context.ts';
import { createScreen } from '../../support/screen.ts';
import { timerOf } from '../../support/fake-clock.ts';

/** Longer waits never end: no notice depends on the speed of the machine. */
const longestWait = 100;

/** Time stands still; short waits, as for the lines of a paste, end at once. */
function createStillClock(): ProgramClock {
  const sleep = async (milliseconds: number, signal?: AbortSignal) => {
    if (milliseconds <= longestWait) await tick();
    else await new Promise((resolve) => signal?.addEventListener('abort', resolve));
    signal?.throwIfAborted();
  };
  return {
    monotonic: () => 0,
    date: () => new Date('2026-11-20T12:00:00Z'),
    sleep,
    timer: timerOf(sleep),
    repeat: () => () => undefined,
  };
}

/** Numbers that look random and are the same in each run. */
function createRandom(): () => number {
  let state = 1;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

const options: ChatOptions = {
  color: 'never',
  input: true,
  stream: true,
  stdin: true,
  accessible: true,
};

/** natter for a screen reader, in a home folder that has `notes.md`. */
async function startSession() {
  const home = folderOf({ 'notes.md': 'Tea is hot.\n' });
  const environment = {
    HOME: home,
    TERM: 'xterm',
    NATTER_DATA_DIR: join(home, 'data'),
    NATTER_STATE_DIR: join(home, 'state'),
    NATTER_CONFIG_DIR: join(home, 'config'),
  };
  const terminals = ['stdin', 'stdout', 'stderr'] as const;
  const memory = createMemoryContext({ environment, terminals, homeDirectory: home });
  const { device, type } = createMemoryDevice();
  const seen = { clock: createStillClock(), random: createRandom(), device };
  const ended = runRepl(await startRun({ ...memory.context, ...seen }, options), []);
  // Whether a row ends before the home folder depends on its length.
  const text = () =>
    memory.stdout().replaceAll(`\n${home}`, ` ${home}`).replaceAll(home, '/home/you');
  /** Resolves when natter waits for the next line. */
  const ready = async (before: number) => {
    let last = '';
    await vi.waitUntil(
      () => {
        const isSame = text() === last;
        last = text();
        return isSame && last.length > before && /(?:You|Choose 1 to \d+|for): $/.test(last);
      },
      { timeout: 30_000, interval: 20 },
    );
  };
  return {
    text,
    type,
    ended,
    /** Types lines and Enter, and waits for the next question. */
    async enter(lines: string) {
      const before = text().length + lines.length;
      for (const line of lines.split('\n')) {
        type(line);
        type('\r');
      }
      await ready(before);
    },
    /** Types text and a key that needs no answer of the service. */
    async press(typed: string, key: string) {
      type(typed);
      type(key);
      for (let turn = 0; turn < 20; turn += 1) await tick();
    },
    ready: () => ready(0),
  };
}

const markdown = [
  '## Making *tea*',
  '1. Boil **water**. Use `kettle --now`.',
  '2. Add leaves:',
  '   - green',
  '   - black, see [the guide](https://example.com/tea)',
  '',
  '- [x] kettle',
  '- [ ] cups',
  '',
  '> Tea first. Then $E = mc^2$.',
  '',
  '| name | price |',
  '| --- | ---: |',
  '| tea | 2 |',
  '| milk | |',
  '',
  '```bash',
  'kettle --now',
  'echo done',
  '```',
  '',
  '$$\\frac{a + b}{2} \\le \\sqrt{x}$$',
];

/** The text as a terminal shows it, after the corrections of typed lines. */
async function asSeen(text: string): Promise<string> {
  const screen = createScreen(80, 24);
  screen.write(text.replaceAll('\n', '\r\n'));
  const lines = await screen.lines();
  return `${lines
    .map((line) => line.trimEnd())
    .join('\n')
    .trimEnd()}\n`;
}

const enter = '\r';
const tab = '\t';
const search = '\u0012';
const clear = '\u0015';

/** What is typed, a line each, and the key that ends it. */
const session: readonly (readonly [typed: string, key?: string])[] = [
  ['3'],
  ['hello'],
  ['/help answers'],
  ['/help copy'],
  ['/help keys'],
  [`[sandbox echo] ${markdown.join('\\\n')}`],
  ['/save 1 ~/tea.sh'],
  ['[sandbox echo] The first version.'],
  ['/retry nextgen'],
  ['/version 1'],
  ['/edit 1'],
  ['[sandbox echo] An edited prompt.'],
  ['/undo'],
  ['/undo'],
  ['/model'],
  ['/model nextgen'],
  ['/help'],
  ['/system Answer in one sentence.'],
  ['/system off'],
  ['/param max_tokens=50'],
  ['/param max_tokens off'],
  ['/attach ~/notes.md'],
  ['[sandbox echo] What do the notes say?'],
  ['/rename Tea for two'],
  ['/context'],
  ['~/notes.md'],
  ['/compact keep the names'],
  ['/context'],
  ['/undo'],
  ['/new'],
  ['/settings'],
  ['/resume Tea for two'],
  ['/model ', tab],
  ['', clear],
  ['', search],
  ['notes', enter],
  ['', clear],
  ['[sandbox 400]'],
  ['/nonsense'],
  ['/theme mono'],
  ['exit'],
];

test('a session for a screen reader reads as its golden transcript', async () => {
  const natter = await startSession();
  await natter.ready();
  for (const [typed, key] of session) {
    if (key === undefined) await natter.enter(typed);
    else await natter.press(typed, key);
  }
  natter.type('exit\r');
  await natter.ended;
  await expect(await asSeen(natter.text())).toMatchFileSnapshot('golden/transcript.txt');
}, 60_000);
