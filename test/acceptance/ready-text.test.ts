import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { helpPages } from '../../scripts/package/help-pages.ts';
import { topicNames } from '../../src/commands/help/topic-names.ts';
import { commandNames } from '../../src/commands/program/command-names.ts';
import { createMemoryContext } from '../support/memory-context.ts';
import { runNatter } from '../support/natter.ts';

interface PrintOptions {
  readonly write?: (...written: never) => number;
  readonly platform?: NodeJS.Platform;
  readonly show?: (text: string) => boolean;
}

type Print = (words: readonly string[], options: PrintOptions) => boolean;

const load = createRequire(import.meta.url);
const ready = load('../../bin/ready-text.cjs') as { printReadyText: Print };

/** Prints without a pager, wherever the tests run. */
const printReadyText: Print = (words, options) =>
  ready.printReadyText(words, { show: () => false, ...options });

/** The texts in the file that the build wrote, by their names. */
function writtenTexts(): ReadonlyMap<string, string> {
  const pages = readFileSync('dist/help.txt', 'utf8').matchAll(
    /\f(?<names>[^\n]+)\f\n(?<text>[^\f]*)/g,
  );
  return new Map(
    [...pages].flatMap(({ groups }) =>
      (groups?.['names'] ?? '').split('\f').map((name) => [name, groups?.['text'] ?? ''] as const),
    ),
  );
}

test('the build has written the version, and every help and topic as the command tree has it', async () => {
  const { context } = createMemoryContext();
  const pages = await helpPages({ ...context, version: packageJson.version });
  expect(Object.fromEntries(writtenTexts())).toEqual(Object.fromEntries(pages));
});

test('no topic has the name of a command', () => {
  expect(topicNames.filter((name) => commandNames.includes(name))).toEqual([]);
});

test.each([
  [['--help']],
  [['-h']],
  [['config', '--help']],
  [['config', 'set', '-h']],
  [['sessions', 'show', '--help']],
  [['config', 'remove-profile', '--help']],
  [['help']],
  [['help', 'sessions', 'show']],
  [['help', 'environment']],
  [['help', 'service']],
  [['help', 'keys']],
  [['help', '-h']],
])('%j prints the same as the full program', async (words) => {
  const { code, stdout, stderr } = await runNatter(words);
  // With a further option the full program runs.
  const full = await runNatter(['--quiet', ...words]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toBe(full.stdout);
});

test.each(['--version', '-V'])('%s prints the version of the package', async (flag) => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  const expected = { code: 0, stdout: `${version}\n`, stderr: '' };
  expect(await runNatter([flag])).toMatchObject(expected);
  expect(await runNatter(['--quiet', flag])).toMatchObject(expected);
});

test.each([
  [['a/../natter', '--help']],
  [['..', '--help']],
  [['natter.config', '--help']],
  [['no', 'such', 'command', '--help']],
])('%j has no text, and prints the help of natter', async (words) => {
  const { code, stdout } = await runNatter(words);
  expect(code).toBe(0);
  expect(stdout).toBe(writtenTexts().get('natter'));
});

test.each([
  [['--help', 'models']],
  [['--', '--help']],
  [['help', '--version']],
  [['help', 'keys', '--quiet']],
  [['help', 'keys', 'settings']],
  [['keys', '--help']],
  [['short', '--help']],
  [['help', 'config', '-h']],
])('%j has no text, and is left to the full program', (words) => {
  const written: unknown[] = [];
  expect(printReadyText(words, { write: (...write: never) => written.push(write) })).toBe(false);
  expect(written).toEqual([]);
});

/** The result of a write: the number of bytes written, or an error. */
type Write = number | 'EAGAIN' | 'EPIPE' | 'ENOSPC';

/** Prints the help of the sandbox with these results of `write`; further writes succeed. */
function print(writes: readonly Write[]) {
  const taken: Buffer[] = [];
  const left = [...writes];
  const write = (_descriptor: number, bytes: Buffer, start: number): number => {
    const next = left.shift() ?? bytes.length;
    if (typeof next === 'string') throw Object.assign(new Error(next), { code: next });
    taken.push(bytes.subarray(start, start + next));
    return Math.min(next, bytes.length - start);
  };
  const done = printReadyText(['sandbox', '--help'], { write });
  return { done, text: Buffer.concat(taken).toString() };
}

const page = writtenTexts().get('natter.sandbox') ?? '';

test('help is complete although the pipe is full at times', () => {
  const expected = { done: true, text: page };
  expect(print([])).toEqual(expected);
  expect(print(['EAGAIN', 100, 'EAGAIN', 'EAGAIN', 1])).toEqual(expected);
});

test.each<[NodeJS.Platform, string, boolean]>([
  ['win32', 'models', true],
  ['win32', 'batch', false],
  ['linux', 'batch', true],
])('on %s the help of %s is printed as bytes: %s', (platform, command, expected) => {
  expect(
    printReadyText([command, '--help'], {
      write: (_: number, { length }: Buffer) => length,
      platform,
    }),
  ).toBe(expected);
});

test('P1 help ends without an error when its reader closes the pipe', () => {
  expect(print([100, 'EPIPE'])).toEqual({ done: true, text: page.slice(0, 100) });
});

test('help that cannot be written is left to the full program, which reports the error', () => {
  expect(print(['ENOSPC'])).toEqual({ done: false, text: '' });
});

test('a text that a pager has shown is not printed again', () => {
  const shown: string[] = [];
  const write = () => expect.unreachable('the text is printed');
  const show = (text: string) => shown.push(text) > 0;
  expect(ready.printReadyText(['sandbox', '--help'], { write, show })).toBe(true);
  expect(shown).toEqual([page]);
});
