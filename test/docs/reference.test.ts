import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { describeProgram } from '../../scripts/reference/command-tree.ts';
import { manPage } from '../../scripts/reference/man-page.ts';
import { referenceMarkdown } from '../../scripts/reference/markdown.ts';
import { withReplTables } from '../../scripts/reference/repl-tables.ts';

const program = await describeProgram(packageJson.version);

test.each([
  ['docs/reference.md', referenceMarkdown],
  ['man/natter.1', manPage],
])('%s matches the program; npm run reference updates it', (path, write) => {
  expect(readFileSync(path, 'utf8')).toBe(write(program));
});

test('docs/repl.md has the keys and commands of the REPL; npm run reference updates them', () => {
  const guide = readFileSync('docs/repl.md', 'utf8');
  expect(guide).toBe(withReplTables(guide));
});

test('the reference names every command once', () => {
  const text = referenceMarkdown(program);
  const names = program.commands.map(({ name }) => name);
  expect(names).toEqual(
    expect.arrayContaining(['natter', 'natter config set', 'natter conversations export']),
  );
  for (const name of names) expect(text.split(`\n## ${name}\n`)).toHaveLength(2);
});

test('the man page uses only known roff requests', () => {
  const requests = manPage(program)
    .split('\n')
    .flatMap((line) => /^[.'](?<name>\S*)/.exec(line)?.groups?.['name'] ?? []);
  expect(new Set(requests)).toEqual(
    new Set(['TH', 'SH', 'SS', 'B', 'br', 'TP', 'PP', 'RS', 'RE', 'nf', 'fi']),
  );
});
