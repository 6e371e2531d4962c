import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { clears, keys, leave, openRepl, screenWith, sharedHome } from '../support/repl-terminal.ts';
import { type TerminalSession, openTerminal } from '../support/terminal.ts';

const count = (text: string, part: string) => text.split(part).length - 1;

describe('the screen of the REPL', () => {
  test('is redrawn by Ctrl+L, without repeating or erasing the scrollback', async () => {
    const terminal = await openRepl();
    terminal.type(`[sandbox echo] needle${keys.enter}`);
    const before = count(await terminal.waitFor(/\nneedle\n\norigin · /), 'needle');
    for (let times = 0; times < 3; times += 1) terminal.type(`${keys.redraw}x`);
    await screenWith(terminal, /› xxx\n/);
    expect(count(await terminal.transcript(), 'needle')).toBe(before);
    expect(terminal.output()).not.toMatch(clears);
    terminal.type(keys.interrupt);
    expect(await leave(terminal)).toBe(0);
  });

  test('opens the menu of commands with the slash, and closes it with Esc', async () => {
    const terminal = await openRepl();
    terminal.type('/');
    const screen = await screenWith(terminal, /› \/help \[name\] .*\n {2}\/retry \[model\]/);
    expect(screen).toMatch(/ 1\/\d+ ↓\n/);
    terminal.type('vers');
    await screenWith(terminal, /› \/vers\n› \/version \[n\] [^\n]*\n {2}\/conversations /);
    terminal.type(keys.escape);
    await screenWith(terminal, /› \/vers\nnew conversation/);
    terminal.type(keys.interrupt);
    expect(await leave(terminal)).toBe(0);
  });

  test('turns a spinner while an answer streams, and none afterwards', async () => {
    const terminal = await openRepl();
    terminal.type(`[sandbox tokens=60 rate=30]${keys.enter}`);
    await terminal.waitFor(/\norigin · .* tokens\n/);
    const frames = new Set(terminal.output().match(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/g));
    expect(frames.size).toBeGreaterThan(3);
    expect(await terminal.transcript()).not.toMatch(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/);
    expect(await leave(terminal)).toBe(0);
  });

  test('continues the row of an item whose end is not decided', async () => {
    const terminal = await openRepl();
    terminal.type(`[sandbox echo stall-after=8] - one two of it.\n- more${keys.enter}`);
    await screenWith(terminal, /\n• one two of it\.\n-\n\n/);
    terminal.type(keys.escape);
    await terminal.waitFor(/\/continue resumes it/);
    expect(await leave(terminal)).toBe(0);
  });

  test('shows the caret, and weights but no colours, with NO_COLOR', async () => {
    const terminal = await openRepl(['--sandbox'], { env: { NO_COLOR: '1' } });
    terminal.type(`/theme light${keys.enter}`);
    await terminal.waitFor(/the theme is light/);
    terminal.type(`[sandbox echo] **bold** and *italic*${keys.enter}`);
    await terminal.waitFor(/\nbold and italic\n/);
    terminal.type('draft');
    await screenWith(terminal, /› draft/);
    expect((await terminal.modes()).cursorHidden).toBe(false);
    // oxlint-disable-next-line no-control-regex
    const codes = [...terminal.output().matchAll(/\u001B\[([\d;]+)m/g)].map(([, code]) => code);
    // Bold, dim and italic are not colours.
    expect(new Set(codes)).toEqual(new Set(['0', '1', '2', '22', '3', '23']));
    terminal.type(keys.interrupt);
    expect(await leave(terminal)).toBe(0);
  });

  test('uses only colours that are readable on a light theme', async () => {
    const terminal = await openRepl();
    terminal.type(`[sandbox markdown]${keys.enter}`);
    await terminal.waitFor(/the last fence is never closed[^]*›/);
    terminal.type(`/nonsense${keys.enter}`);
    await terminal.waitFor(/unknown command/);
    // oxlint-disable-next-line no-control-regex
    const looks = terminal.output().matchAll(/\u001B\[([\d;]*)m/g);
    const codes = new Set([...looks].flatMap(([, code = '']) => code.split(';')).map(Number));
    const whiteBlackOrBackground = [...codes].filter(
      (code) => code === 30 || code === 37 || (code >= 40 && code !== 49),
    );
    expect(codes.size).toBeGreaterThan(3);
    expect(whiteBlackOrBackground).toEqual([]);
    terminal.type(keys.interrupt);
    expect(await leave(terminal)).toBe(0);
  });

  test('lets the terminal wrap prose with NATTER_WRAP=none, so that a copied line is complete', async () => {
    const env = { NATTER_WRAP: 'none' };
    const terminal = await openRepl(['--sandbox'], { columns: 40, env });
    const sentence = `${'many words '.repeat(12)}end`;
    terminal.type(`[sandbox echo] ${sentence}${keys.enter}`);
    await terminal.waitFor(/end\n\norigin · /);
    expect((await terminal.copied()).split('\n')).toContain(sentence);
    expect(await leave(terminal)).toBe(0);
  });

  test('/save expands ~, accepts any file name, and overwrites nothing', async () => {
    const env = sharedHome();
    const terminal = await openRepl(['--sandbox'], { env });
    terminal.type(`[sandbox echo] käse 🧀${keys.enter}`);
    await terminal.waitFor(/\nkäse 🧀\n/);
    terminal.type(`/save ~/cheese.weird${keys.enter}`);
    await terminal.waitFor(/the last answer was\s+written to/);
    terminal.type(`/save ~/cheese.weird${keys.enter}`);
    await terminal.waitFor(/choose another name/);
    expect(await terminal.copied()).toMatch(/cheese\.weird: it\s+already\s+exists\n/);
    expect(readFileSync(join(env.HOME, 'cheese.weird'), 'utf8')).toBe('käse 🧀');
    expect(await leave(terminal)).toBe(0);
  });
});

const saved = '\u001B[22;2t';
const restored = '\u001B[23;2t';
const focusOn = '\u001B[?1004h';
const focusOff = '\u001B[?1004l';
const noProgress = '\u001B]9;4;0;\u0007';
const settings = { NATTER_PROGRESS: 'on', NATTER_NOTIFY: 'osc9', NATTER_NOTIFY_AFTER: '0' };

async function outputWith(terminal: TerminalSession, text: string): Promise<void> {
  await expect.poll(() => terminal.output()).toContain(text);
}

/** How often a sequence occurs. */
const countOf = (output: string, sequence: string) => output.split(sequence).length - 1;

test('shows the state in title and tab, and reports the answer only to a window without focus', async () => {
  const terminal = await openRepl(['--sandbox'], { env: settings });
  await outputWith(terminal, '\u001B]2;natter\u0007');
  expect(terminal.output()).toContain(saved + focusOn);
  terminal.type('\u001B[Ohello\r');
  await outputWith(terminal, '\u001B]2;answering: hello - natter\u0007');
  await outputWith(terminal, '\u001B]9;4;3;\u0007');
  await outputWith(terminal, '\u001B]2;answered: hello - natter\u0007');
  expect(terminal.output()).toMatch(/\u001B\]9;natter: answered in \d+ s: hello\u0007/);
  const before = terminal.output().length;
  terminal.type('\u001B[I');
  await outputWith(terminal, '\u001B]2;hello - natter\u0007');
  terminal.type('again\r');
  await expect.poll(() => terminal.output().slice(before)).toContain(noProgress);
  expect(terminal.output().slice(before)).not.toContain('\u001B]9;natter');
  expect(await leave(terminal)).toBe(0);
  expect(terminal.output().slice(-200)).toContain(focusOff + noProgress + restored);
});

test.each(['SIGTERM', 'SIGHUP', 'SIGINT'])('puts the window back after %s', async (signal) => {
  const terminal = await openRepl(['--sandbox'], { env: settings });
  await outputWith(terminal, '\u001B]2;natter\u0007');
  terminal.kill(signal);
  await terminal.exit;
  const output = terminal.output();
  expect(output).toContain(focusOff + noProgress + restored);
  expect(countOf(output, saved)).toBe(countOf(output, restored));
});

test('puts the window back for the shell while natter is suspended', async () => {
  const terminal = await openRepl(['--sandbox'], {
    env: settings,
    shell: 'set -m; $NATTER --sandbox; echo back; fg',
  });
  await outputWith(terminal, '\u001B]2;natter\u0007');
  terminal.type(keys.suspend);
  await terminal.waitFor(/back/);
  const output = terminal.output();
  expect(output.slice(0, output.indexOf('back'))).toContain(focusOff + noProgress + restored);
  await expect.poll(() => countOf(terminal.output(), saved)).toBe(2);
  await expect.poll(() => countOf(terminal.output(), '\u001B]2;natter\u0007')).toBe(2);
  expect(await leave(terminal)).toBe(0);
  expect(countOf(terminal.output(), restored)).toBe(2);
});

const off = { NATTER_PROGRESS: 'off', NATTER_NOTIFY: 'off', NATTER_WINDOW_TITLE: 'off' };

test.each<[string, Readonly<Record<string, string>>, readonly string[]]>([
  ['the settings are off', off, []],
  ['TERM is dumb', { ...settings, NATTER_WINDOW_TITLE: 'on', TERM: 'dumb' }, []],
  ['a screen reader is used', settings, ['--screen-reader']],
])('writes nothing to the window if %s', async (_, env, words) => {
  const terminal = openTerminal(['--sandbox', ...words], { env });
  await terminal.waitFor(/You:|›/);
  terminal.type('hello\r');
  await terminal.waitFor(/sandbox[^]*(?:You:|tokens)/);
  terminal.type(keys.end);
  await terminal.exit;
  expect(terminal.output()).not.toMatch(/\u001B\][29];|\u001B\[\?1004|\u001B\[2[23];2t/);
});

test('compare shows how many answers have ended, and puts the window back', async () => {
  const words = ['compare', '-m', 'origin,nextgen', '--sandbox', 'hello'];
  const terminal = openTerminal(words, { env: settings });
  await terminal.exit;
  const written = terminal.output().match(/\u001B\[2[23];2t|\u001B\][29];[^\u0007]*\u0007/g);
  expect(written).toEqual([
    saved,
    '\u001B]2;0 of 2 - natter compare\u0007',
    '\u001B]9;4;3;\u0007',
    '\u001B]2;1 of 2 - natter compare\u0007',
    '\u001B]9;4;1;50\u0007',
    '\u001B]2;2 of 2 - natter compare\u0007',
    '\u001B]9;4;1;100\u0007',
    noProgress,
    restored,
  ]);
});

test('compare and batch write nothing to the window if standard error is a pipe', async () => {
  const input = '{"content":"hello"}';
  const shell =
    `$NATTER compare -m origin,nextgen --sandbox hello 2>/dev/null; ` +
    `echo '${input}' | $NATTER batch --sandbox 2>&1 | cat`;
  const terminal = openTerminal([], { env: settings, shell });
  await terminal.exit;
  expect(terminal.output()).not.toMatch(/\u001B\[2[23];2t|\u001B\][29];/);
});
