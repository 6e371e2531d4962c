import { setImmediate as tick } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { Failure } from '../../src/failure.ts';
import { createTextPrinter, unchanged } from '../../src/output/answer-printer.ts';
import {
  columnWidth,
  type ComparedAnswer,
  createAnswerColumns,
  createStackedAnswers,
  createTextColumn,
} from '../../src/output/comparison.ts';
import { type Context, present, type Presentation } from '../../src/run.ts';
import { plainStyle } from '../../src/terminal/style.ts';
import { finished, text } from '../support/events.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import {
  createMemoryContext,
  createMemoryDevice,
  createMemoryOutput,
} from '../support/memory-context.ts';
import { processorTime } from '../support/processor-time.ts';
import { createScreen } from '../support/screen.ts';

/** A complete answer, or one with a failure. */
function answerOf(label: string, content: string, failure?: Failure): ComparedAnswer {
  const timing = { total: 20 };
  const metadata =
    failure === undefined
      ? { complete: true, finishReason: 'stop', timing }
      : { complete: false, timing };
  return { label, model: label, content, metadata, failure };
}

function openColumns(columns = 30, rows = 12, labels = ['one', 'two']) {
  const screen = createScreen(columns, rows);
  const clock = createFakeClock();
  const { device, resize, exit, resume, pressSuspend, log } = createMemoryDevice();
  const stdout = { ...createMemoryOutput(true), ...screen };
  const environment = { TERM_PROGRAM: 'vscode' };
  const context = { clock, device, environment, streams: { stdout } } as unknown as Context;
  const presentation = { style: plainStyle, unicode: true } as Presentation;
  const view = createAnswerColumns(context, presentation, labels, () => unchanged);
  /** Waits until the region is drawn. */
  const settle = async () => {
    await clock.advance(200);
    await tick();
  };
  return { screen, clock, view, settle, resize, exit, resume, pressSuspend, log };
}

test.each<[string, readonly string[], number, readonly string[]]>([
  ['texts of equal length', ['one\ntwo\n', 'a\nb\n'], 20, ['one      │ a', 'two      │ b']],
  ['a short text leaves room', ['a', 'b\nc\nd'], 12, ['a    │ b', '     │ c', '     │ d']],
  ['an empty text', ['', 'b'], 12, ['     │ b']],
  ['long lines are wrapped', ['one two', 'three'], 12, ['one  │ thre', 'two  │ e']],
  ['wide characters count twice', ['今天', 'b'], 14, ['今天  │ b']],
  ['a tab is four spaces', ['a\tb', 'c'], 20, ['a    b   │ c']],
  ['three texts', ['a', 'b', 'c'], 16, ['a   │ b   │ c']],
  ['empty texts', ['', ''], 20, []],
])('%s', async (_, texts, window, rows) => {
  const { screen, view } = openColumns(window, 12, [...texts.keys()].map(String));
  for (const [index, one] of texts.entries()) await view.event(index, text(one));
  await view.close();
  expect((await screen.lines()).slice(2)).toEqual(rows);
});

test('while answers stream, rows wait for the slowest answer, with the progress of each answer below', async () => {
  const { screen, clock, view, settle } = openColumns();
  await view.event(0, text('a first line\nand more'));
  await clock.advance(3000);
  await settle();
  expect(await screen.screen()).toEqual([
    'one           │ two',
    expect.stringMatching(/^─+┼─+$/),
    'a first line  │',
    'and more      │',
    expect.stringMatching(/^─+┼─+$/),
    '~6 tokens · … │ waiting · 3 s',
  ]);
  await view.event(1, text('b'));
  await settle();
  expect((await screen.screen()).slice(2, 4)).toEqual(['a first line  │ b', 'and more      │']);
});

test('while answers stream, a wait for a retry is shown with its cause', async () => {
  const { screen, view, settle } = openColumns(100);
  const cause = new Failure('server_error', 'the service\u001B[2J failed (500)');
  const retry = { type: 'retry-scheduled', retry: 1, retries: 4, delay: 4200, cause } as const;
  await view.event(1, retry);
  await settle();
  expect((await screen.screen()).at(-1)).toMatch(
    /retry 1 of 4 in \d s: the service failed \(500\)$/,
  );
});

test('after all answers, the columns remain, with the cursor below', async () => {
  const { screen, view, settle } = openColumns();
  await view.event(0, text('a'));
  await view.event(1, text('b\nc'));
  await view.ended(0, answerOf('one', 'a'));
  await view.ended(1, answerOf('two', 'b\nc'));
  await view.close();
  await settle();
  const rows = await screen.lines();
  expect(rows[0]).toBe('one           │ two');
  expect(rows.slice(2)).toEqual(['a             │ b', '              │ c']);
  expect(await screen.cursor()).toEqual({ row: 4, column: 0 });
});

test('after all answers, a failure is shown at the end of its answer', async () => {
  const { screen, view } = openColumns(60);
  await view.event(0, text('a'));
  await view.ended(0, answerOf('one', 'a', new Failure('incomplete', 'cut')));
  await view.ended(1, answerOf('two', '', new Failure('rate_limited', 'too many')));
  await view.close();
  const [, , first, second] = await screen.lines();
  expect(first).toBe('a                            │ (no answer: rate_limited)');
  expect(second).toBe('(cut: incomplete)            │');
});

test('an early end keeps the received text', async () => {
  const { screen, view } = openColumns();
  await view.event(0, text('a\nb\nc'));
  await view.close();
  const rows = (await screen.lines()).slice(2);
  expect(rows).toEqual(['a             │', 'b             │', 'c             │']);
});

test('no text is lost in a resized window', async () => {
  const { screen, view, settle, resize } = openColumns(60, 10);
  const words = Array.from({ length: 60 }, (_, index) => `w${index}`);
  for (const [index, word] of words.entries()) {
    await view.event(0, text(`${word} `));
    await view.event(1, text(`${word}x `));
    if (index % 20 === 10) {
      await settle();
      await screen.resize(60 - index / 2, 10);
      resize();
    }
  }
  await view.ended(0, answerOf('one', ''));
  await view.ended(1, answerOf('two', ''));
  await view.close();
  const shown = (await screen.lines()).join(' ');
  const missing = words.filter((word) => !new RegExp(`\\b${word}\\b`).test(shown));
  expect(missing).toEqual([]);
  expect(words.filter((word) => !shown.includes(`${word}x`))).toEqual([]);
});

test('control sequences of an answer are removed and counted', async () => {
  const { screen, view } = openColumns(60);
  await view.event(0, text('a\u001B[2J\u001B]0;title\u0007b'));
  await view.close();
  expect((await screen.lines())[2]).toBe('ab                           │');
  expect(screen.output.join('')).not.toContain('title');
  expect(view.removed()).toBe(2);
});

test('control sequences in the reason why an answer ended are removed', async () => {
  const { screen, view, settle } = openColumns(60);
  const answer = answerOf('one', 'a');
  const metadata = { ...answer.metadata, finishReason: 'stop\u001B]0;title\u0007' };
  await view.ended(0, { ...answer, metadata });
  await settle();
  expect((await screen.screen()).at(-1)).toMatch(/^stop · /);
  expect(screen.output.join('')).not.toContain('title');
});

test('a sudden exit writes the pending text', async () => {
  const { view, exit, log } = openColumns();
  await view.event(0, text('a\n'));
  await view.event(1, text('b\n'));
  exit();
  expect(log.join('')).toContain('a             │ b');
});

describe('stopped', () => {
  const shell = ['[1]+ Stopped', '$ fg'];
  const after = ['a                  │ x', 'b                  │ y', 'c                  │ z'];

  async function openWithText() {
    const opened = openColumns(40, 20);
    await opened.view.event(0, text('a\nb\nc'));
    await opened.view.event(1, text('x'));
    await opened.settle();
    return opened;
  }

  test('by Ctrl+Z, the columns are erased and continue below the shell', async () => {
    const { screen, view, settle, resume, pressSuspend, log } = await openWithText();
    pressSuspend();
    expect(log).toEqual(['stopped']);
    expect((await screen.lines()).slice(2)).toEqual([]);
    screen.write(`${shell.join('\r\n')}\r\n`);
    resume();
    await settle();
    await view.event(1, text('\ny\nz'));
    await view.close();
    expect((await screen.lines()).slice(2)).toEqual([...shell, ...after]);
  });

  test('externally, the columns leave the output of the shell unchanged', async () => {
    const { screen, view, settle, resume } = await openWithText();
    screen.write(`\r\n${shell.join('\r\n')}\r\n`);
    resume();
    await settle();
    await view.event(1, text('\ny\nz'));
    await view.close();
    const rows = await screen.lines();
    expect(rows.slice(rows.indexOf('[1]+ Stopped'))).toEqual([...shell, ...after]);
  });
});

test('the text columns share a window', () => {
  expect([columnWidth(80, 2), columnWidth(120, 3), columnWidth(4, 3)]).toEqual([38, 37, 1]);
});

test('a column has a row once no text can change it', () => {
  const grown = createTextColumn(unchanged);
  grown.write('one two');
  expect(grown.hasRow(8)).toBe(false);
  grown.write(' three');
  expect(grown.preview(5, 4)).toEqual(['one', 'two', 'three']);
  expect([grown.hasRow(8), grown.take(8), grown.hasRow(8)]).toEqual([true, 'one two', false]);
  grown.end('');
  expect([grown.isDone(), grown.take(8), grown.isDone()]).toEqual([false, 'three', true]);
});

test('Y27: a column of one long coloured line takes linear time', async () => {
  const take = async (length: number) => {
    // As Markdown would be styled.
    const write = (words: string) => `\u001B[1m${words}\u001B[22m`;
    const column = createTextColumn({ write, end: () => '' });
    column.write('word '.repeat(length / 5));
    column.end('');
    return processorTime(() => {
      while (!column.isDone()) column.take(37);
    });
  };
  await take(20_000);
  const [short, long] = [await take(100_000), await take(800_000)];
  expect(long).toBeLessThan(short * 16 + 200);
});

describe('answers one below the other', () => {
  async function openStacked() {
    const stdout = createMemoryOutput();
    const { context: base } = createMemoryContext();
    const context = { ...base, streams: { ...base.streams, stdout } };
    const presentation = await present(context, { color: 'never', input: true });
    const labelled = ['one', 'two'].map(async (label) => {
      return { label, printer: await createTextPrinter({ context, presentation, format: 'text' }) };
    });
    const answers = await Promise.all(labelled);
    const view = createStackedAnswers(stdout, plainStyle, answers);
    return { stdout, view };
  }

  test('the first answer is printed while it streams, the other in its turn', async () => {
    const { stdout, view } = await openStacked();
    await view.event(1, text('later'));
    await view.event(0, text('now'));
    expect(stdout.text()).toBe('==> one <==\nnow');
    await view.ended(0);
    expect(stdout.text()).toBe('==> one <==\nnow\n\n==> two <==\nlater');
    await view.event(1, text(' still'));
    await view.ended(1);
    await view.close();
    expect(stdout.text()).toBe('==> one <==\nnow\n\n==> two <==\nlater still\n');
  });

  test('an answer without text has a heading only if it is complete', async () => {
    const { stdout, view } = await openStacked();
    await view.ended(0);
    await view.event(1, finished);
    await view.ended(1);
    await view.close();
    expect(stdout.text()).toBe('==> two <==\n');
  });

  test('the text of unfinished answers is printed at the end, with a line end if it has none', async () => {
    const { stdout, view } = await openStacked();
    await view.event(1, text('b'));
    await view.event(0, text('a\n'));
    await view.close();
    expect(stdout.text()).toBe('==> one <==\na\n\n==> two <==\nb\n');
  });
});
