import { setImmediate as tick } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { richFormat, startLive } from '../../../src/repl/screen/start-live.ts';
import type { ReplState } from '../../../src/repl/state.ts';
import { step } from '../../../src/repl/step.ts';
import {
  type Entry,
  failureEntry,
  notice,
  createTranscript,
} from '../../../src/repl/transcript/transcript.ts';
import type { WrapMode } from '../../../src/terminal/markdown/markdown-stream.ts';
import {
  colorStyle,
  plainStyle,
  type Style,
  themedStyle,
  weightStyle,
} from '../../../src/terminal/style.ts';
import { createMemoryDevice, createMemoryOutput } from '../../support/memory-context.ts';
import { openMemorySession } from '../../support/memory-session.ts';
import { stateOf, waitingAnswer } from '../../support/repl-state.ts';
import { createScreen } from '../../support/screen.ts';

/** A session on a terminal in memory that has colours. */
async function openLive(changes: Partial<ReplState> = {}) {
  const { session: memory, clock } = openMemorySession({
    environment: { TERM: 'xterm-256color' },
  });
  const { device, ...terminal } = createMemoryDevice();
  const screen = createScreen(80, 24);
  const updates: number[] = [];
  const write = (text: string) => {
    updates.push(clock.monotonic());
    screen.write(text);
    return undefined;
  };
  const { streams } = memory.context;
  const stdout = { ...createMemoryOutput(true), write };
  const context = { ...memory.context, device, streams: { ...streams, stdout } };
  const colors = { background: undefined, hasMany: true };
  const presentation = { ...memory.presentation, style: colorStyle, colors };
  const repl = { ...memory, context, presentation };
  const session = await startLive(repl, memory.journal(), stateOf(changes));
  return { session, clock, screen, updates, ...terminal };
}

test("R5 the spinner stands for 200 ms after a change of the window's size", async () => {
  const { session, clock, updates, resize } = await openLive({ activity: waitingAnswer });
  /** The times of the updates in the next milliseconds, from now on. */
  const updatesIn = async (milliseconds: number) => {
    updates.length = 0;
    const start = clock.monotonic();
    for (let passed = 0; passed < milliseconds; passed += 10) {
      await clock.advance(10);
      await tick();
    }
    return updates.map((time) => time - start);
  };
  session.update((now) => step(now));
  await updatesIn(100);
  expect(await updatesIn(500)).toHaveLength(5);
  resize();
  // The region is redrawn when the size is stable for 100 ms.
  expect(await updatesIn(200)).toEqual([100]);
  // The tick of a second may cause another one.
  const turns = (await updatesIn(500)).filter((time) => time % 100 === 0);
  expect(turns).toHaveLength(5);
});

test('R6: /clear moves text into the scrollback, and no blank rows', async () => {
  const { session, clock, screen } = await openLive();
  const firstLines = async () => {
    await clock.advance(100);
    await tick();
    return (await screen.lines()).slice(0, 3);
  };
  await session.screen.write('one\n');
  expect(await firstLines()).toEqual(['one', '', expect.stringMatching(/^─+$/)]);
  for (let presses = 0; presses < 3; presses += 1) {
    session.screen.scrollAway();
    expect(await firstLines()).toEqual(['one', '', expect.stringMatching(/^─+$/)]);
  }
  await session.screen.write('two\n');
  expect(await firstLines()).toEqual(['one', 'two', '']);
});

const query = '\u001B]11;?\u001B\\';
const light = '\u001B]11;rgb:ffff/ffff/ffff\u001B\\';
const dark = '\u001B]11;rgb:0000/0000/0000\u001B\\';

test.each([
  ['has the colours of the background that the terminal says', 1000, [light, dark], '[48;5;254m'],
  ['does not change after a late reply', 1001, [light], undefined],
])('a prompt %s', async (_, elapsed, replies, band) => {
  const { session, clock, screen, type } = await openLive();
  const output = () => screen.output.join('');
  expect(output().split(query)).toHaveLength(2);
  await clock.advance(elapsed);
  for (const reply of replies) type(reply);
  await session.transcript.print([{ type: 'prompt', text: 'tea' }]);
  await clock.advance(100);
  expect(output().includes('[48;5;')).toBe(band !== undefined);
  expect(output()).toContain(band ?? 'tea');
});

test('natter waits for a reply before it leaves the terminal, but not long', async () => {
  const replying = await openLive();
  const left = replying.session.close();
  replying.type(light);
  await left;
  const silent = await openLive();
  let isOver = false;
  const waiting = silent.session.close().then(() => (isOver = true));
  await tick();
  await silent.clock.advance(199);
  expect(isOver).toBe(false);
  await silent.clock.advance(1);
  await waiting;
});

interface Look {
  readonly columns?: number;
  readonly style?: Style;
  readonly unicode?: boolean;
  readonly wrap?: WrapMode;
  readonly marks?: boolean;
}

/** A transcript that is written without styles by default. */
function openTranscript(look: Look = {}) {
  const { columns = 41, style = plainStyle, unicode = true, wrap = 'words', marks = false } = look;
  const format = richFormat({
    style,
    width: () => columns,
    hyperlinks: false,
    wrap,
    unicode,
    marks,
  });
  let text = '';
  const transcript = createTranscript(
    () => format,
    (part) => void (text += part),
  );
  return { transcript, text: () => text };
}

/** What the transcript of these entries looks like. */
async function shown(entries: readonly Entry[], look: Look = {}): Promise<string> {
  const { transcript, text } = openTranscript(look);
  await transcript.print(entries);
  return text();
}

const command = (text: string): Entry => ({ type: 'command', text });
const prompt = (text: string): Entry => ({ type: 'prompt', text });
const closing: Entry = {
  type: 'closing',
  facts: ['origin', '8.0 s', '207 tokens'],
  version: undefined,
  models: '',
};

describe('the transcript', () => {
  test('has an empty row before each prompt, command and answer, and none before the output of a command', async () => {
    const entries: readonly Entry[] = [
      prompt('why?'),
      { type: 'answer', text: 'because', model: 'origin' },
      closing,
      command('/usage'),
      notice('1 answer'),
      command('/copy 1'),
      failureEntry('there is no code block'),
      failureEntry('the disk is full'),
    ];
    expect(await shown(entries)).toBe(
      [
        '',
        '› why?',
        '',
        'because',
        '',
        'origin · 8.0 s · 207 tokens',
        '',
        '› /usage',
        '1 answer',
        '',
        '› /copy 1',
        '✗ there is no code block',
        '',
        '✗ the disk is full',
        '',
      ].join('\n'),
    );
  });

  const failed = failureEntry('the service failed (500): The server had an error', '/retry');
  const table = 'ID  TITLE\nc1  a title that is longer than the window is wide';
  const long = 'Write me a kettle timer in the shell\nand explain it';

  test.each<[string, Entry, Look, string]>([
    [
      'indents the further rows of a prompt as the composer does',
      prompt(long),
      { columns: 30 },
      '› Write me a kettle timer in\n  the shell\n  and explain it',
    ],
    [
      'marks a failure and indents it with its hint, broken between words',
      failed,
      {},
      '✗ the service failed (500): The server\n  had an error\n  /retry',
    ],
    [
      'lets the terminal break the rows with the wrap mode none, and marks a failure in ASCII',
      failed,
      { columns: 20, wrap: 'none', unicode: false },
      '! the service failed (500): The server had an error\n  /retry',
    ],
    [
      'indents the further rows of a notice, but not the lines of a table',
      notice(table),
      {},
      'ID  TITLE\nc1  a title that is longer than the\n  window is wide',
    ],
    ['T3 sanitizes a notice', notice('a\u001B[2Jb'), {}, 'ab'],
  ])('%s', async (_what, entry, look, text) => {
    expect(await shown([entry], look)).toBe(`\n${text}\n`);
  });

  test.each([
    ['dark', true, '\u001B[48;5;236m'],
    ['light', true, '\u001B[48;5;254m'],
    ['dark', false, ''],
    ['color', true, ''],
    ['mono', true, ''],
  ] as const)(
    'R13: the theme %s, many colours %s, has a band behind each row of a prompt',
    async (theme, hasMany, band) => {
      const colors = { background: undefined, hasMany };
      const style = themedStyle(theme, colorStyle, colors);
      const [, first = '', second = ''] = (await shown([prompt('one\ntwo')], { style })).split(
        '\n',
      );
      expect([first, second].map((row) => row.startsWith(band))).toEqual([true, true]);
      expect(first.includes('\u001B[48')).toBe(band !== '');
      expect(first).toContain('\u001B[7m');
    },
  );

  test('prints prompts bold and the rest dim, with weights only if there are no colours', async () => {
    const thought: Entry = { type: 'reasoning', text: 'so' };
    const entries = [prompt('one\ntwo'), thought, notice('three')];
    expect(await shown(entries, { style: weightStyle })).toBe(
      '\n\u001B[7m›\u001B[27m \u001B[1mone\u001B[22m\n\u001B[1m  two\u001B[22m\n\n\u001B[2mso\u001B[22m\n\n\u001B[2mthree\u001B[22m\n',
    );
    const red = await shown([failureEntry('no')], { style: colorStyle });
    expect(red).toBe('\n\u001B[31m✗ no\u001B[39m\n');
  });

  test('shows the reply to a command in the colour of the text, below the dim command', async () => {
    const entries = [command('/usage'), notice('1 answer'), notice('saved')];
    expect(await shown(entries, { style: weightStyle })).toBe(
      '\n\u001B[2m› /usage\u001B[22m\n1 answer\n\u001B[2msaved\u001B[22m\n',
    );
  });
});

const time = { clock: '14:05', day: 'Saturday 28 November', gap: undefined };
const version = 'version 2/2';

test.each<[number, object, string]>([
  [80, { version }, ' · version 2/2; /version switches'],
  [60, { version }, ' · version 2/2'],
  [80, { time }, ' · Saturday 28 November 14:05'],
  [50, { time }, ' · 14:05'],
  [34, { time }, ''],
  [80, { facts: ['origin', '8.0 s', '207\u001B]0;x\u0007 tokens'] }, ''],
])(
  'the row below an answer has in %i columns what fits, sanitized',
  async (columns, facts, text) => {
    expect(await shown([{ ...closing, ...facts }], { columns })).toBe(
      `\norigin · 8.0 s · 207 tokens${text}\n`,
    );
  },
);

describe('the marks of prompts and answers', () => {
  const mark = (name: string) => `\u001B]133;${name}\u001B\\`;

  test('enclose the prompts and answers of an opened conversation, in rows that are complete', async () => {
    const entries = [prompt('why?'), { type: 'answer', text: 'because', model: 'origin' }, closing];
    expect(await shown(entries as Entry[], { marks: true })).toBe(
      `\n${mark('A;redraw=0')}› why?${mark('B')}\n${mark('C')}\nbecause\n${mark('D;0')}\norigin · 8.0 s · 207 tokens\n`,
    );
    expect(await shown(entries as Entry[])).not.toContain('\u001B');
  });

  test('begin with the reasoning of an answer, and say that it failed', async () => {
    const { transcript, text } = openTranscript({ marks: true });
    await transcript.print([prompt('why?')]);
    await transcript.reasoningText('let me see');
    await transcript.openAnswer('origin');
    await transcript.answerText(`be${mark('A')}cause`);
    await transcript.closeAnswer(true);
    await transcript.print([failureEntry('it was cut')]);
    expect(text().split(mark('B'))[1]).toBe(
      `\n${mark('C')}\nlet me see\n\nbecause\n${mark('D;1')}\n✗ it was cut\n`,
    );
  });

  test('say that a streamed answer is complete', async () => {
    const { transcript, text } = openTranscript({ marks: true });
    await transcript.openAnswer('origin');
    await transcript.answerText('because');
    await transcript.closeAnswer();
    await transcript.print([notice('and more')]);
    expect(text()).toContain(`because\n${mark('D;0')}\n`);
  });

  test('say that a prompt without an answer failed', async () => {
    const { transcript, text } = openTranscript({ marks: true });
    await transcript.print([prompt('why?')]);
    await transcript.closeAnswer(true);
    await transcript.print([failureEntry('no'), prompt('and now?')]);
    expect(text().split(mark('B'))[1]).toBe(
      `\n${mark('D;1')}\n✗ no\n\n${mark('A;redraw=0')}› and now?`,
    );
  });
});
