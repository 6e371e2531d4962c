import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { guides as topics } from '../../src/commands/help/guides.ts';
import { examplesOf } from '../../src/cli/help-details.ts';
import { buildProgram } from '../../src/cli/program.ts';
import { createMemoryContext } from '../support/memory-context.ts';
import { openExampleShell, type ExampleShell } from '../support/example-shell.ts';
import { expectedCode, shellLines } from '../support/guide-blocks.ts';

/** It also has requests of other programs, which test/sandbox/guide.test.ts sends. */
const sandboxGuide = 'sandbox.md';

const isOfNatter = (line: string) => line.startsWith('natter ');

const guides = readdirSync('docs')
  .filter((name) => name.endsWith('.md'))
  .map((name) => ({ name, lines: shellLines(readFileSync(`docs/${name}`, 'utf8')) }))
  .map(({ name, lines }) => ({
    name,
    lines: name === sandboxGuide ? lines.filter(isOfNatter) : lines,
  }))
  .filter(({ lines }) => lines.length > 0);

const program = buildProgram(createMemoryContext().context, []);
/** The first one opens a conversation, which test/docs/readme.test.ts does. */
const programLines = examplesOf(program).flatMap(({ line }) => (line === 'natter' ? [] : [line]));

/** The guides about the program itself. */
const topicLines = (['piping', 'privacy', 'profiles', 'troubleshooting', 'uninstall'] as const)
  .flatMap((name) => (topics[name] ?? '').split('\n'))
  .flatMap((line) => (line.startsWith('$ ') ? [line.slice(2)] : []));

const texts = [
  { name: 'natter -h', lines: programLines },
  {
    name: 'natter help <topic>',
    lines: topicLines,
  },
  ...guides,
];

let shell: ExampleShell;
beforeAll(async () => {
  shell = await openExampleShell();
});
afterAll(() => shell.close());

describe.each(texts)('$name', ({ lines }) => {
  test.each(lines)('%s', async (line) => {
    const { code, stdout, stderr } = await shell.run(line);
    expect({ code, stderr }).toMatchObject({ code: expectedCode(line) });
    expect(stderr).not.toContain('not found');
    expect(stdout + stderr + (/[>]|^rm |^sed -i/.test(line) ? 'written' : '')).not.toBe('');
  });
});
