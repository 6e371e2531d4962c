import { existsSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openExampleShell, type ExampleShell } from '../support/example-shell.ts';
import {
  blocksOf,
  expectedCode,
  guideBlocks,
  isScript,
  shellLines,
  type GuideBlock,
} from '../support/guide-blocks.ts';

const blocks = guideBlocks();
const placeOf = ({ guide, line }: GuideBlock) => `docs/${guide}:${line}`;

let shell: ExampleShell;
beforeAll(async () => {
  shell = await openExampleShell();
});
afterAll(() => shell.close());

function isRun(block: GuideBlock): boolean {
  return isScript(block) || (block.language === 'sh' && block.testedBy === undefined);
}

test('every code block is run, or names the test that covers it or what it needs', () => {
  const unmarked = blocks.filter(
    (block) => !isRun(block) && block.testedBy === undefined && block.notRun === undefined,
  );
  expect(unmarked.map(placeOf)).toEqual([]);
  expect(blocks.length).toBeGreaterThan(50);
});

test('a test that covers a code block reads its guide', () => {
  const covered = blocks.filter(({ testedBy }) => testedBy !== undefined);
  const wrong = covered.filter(
    ({ guide, testedBy = '' }) =>
      !existsSync(testedBy) || !readFileSync(testedBy, 'utf8').includes(guide),
  );
  expect(wrong.map(placeOf)).toEqual([]);
});

test('the reason for a block that is not run names what it needs', () => {
  const skipped = blocks.filter(({ notRun }) => notRun !== undefined);
  expect(skipped.filter(({ notRun = '' }) => !notRun.startsWith('needs ')).map(placeOf)).toEqual(
    [],
  );
});

/**
 * `…` in an output is any text of a line; alone on a line, any lines. Only a terminal gets a line break after an
 * answer.
 */
function outputPattern(output: string): RegExp {
  const lines = output.split('\n').map((line) => {
    const parts = line.split('…').map((part) => part.replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&'));
    return line === '…' ? '[^]*?' : parts.join('.*');
  });
  return new RegExp(`^${lines.join('\n')}$`.replace(/\n\$$/, '\n?$'));
}

const scripts = blocks.filter(isScript).map((block) => ({ place: placeOf(block), ...block }));

/** An output is that of a machine without settings in its environment, with notices and failures. */
const asOnFreshMachine = (text: string) =>
  `exec 2>&1\nunset NATTER_BASE_URL NATTER_API_KEY NATTER_UPSTREAM_API_KEY\n${text}`;

test.each(scripts)('$place runs', async ({ text, output }) => {
  const { code, stdout, stderr } = await shell.run(
    output === undefined ? text : asOnFreshMachine(text),
  );
  expect({ code, stdout, stderr }).toMatchObject({ code: expectedCode(text) });
  expect(stdout + stderr).not.toContain('not found\n');
  expect(stdout).toMatch(output === undefined ? '' : outputPattern(output));
});

test('a marked block is not run', () => {
  const guide = '```sh not run: needs Docker\ndocker run\n```\n\n```sh\nls\n```\n';
  expect(shellLines(guide)).toEqual(['ls']);
  expect(blocksOf('a.md', guide)).toMatchObject([{ line: 1, notRun: 'needs Docker' }, { line: 5 }]);
});

test('a text block after commands is their output', () => {
  const guide = '```sh\necho a\n```\n\n```text\na\n```\n\nText.\n\n```text\nb\n```\n';
  expect(blocksOf('a.md', guide)).toMatchObject([
    { text: 'echo a\n', output: 'a\n' },
    { text: 'b\n' },
  ]);
});

test.each([
  ['took … s\n', 'took 1.5 s\n', true],
  ['took … s\n', 'took 1.5 ms\n', false],
  ['a\n…\nd\n', 'a\nb\nc\nd\n', true],
  ['a (b)\n', 'a (b)\n', true],
])('the output %j for %j: %s', (shown, printed, matches) => {
  expect(outputPattern(shown).test(printed)).toBe(matches);
});
