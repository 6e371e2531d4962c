import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { storedKinds } from '../../src/commands/config/command.ts';
import { describeProgram } from '../../scripts/reference/command-tree.ts';
import { manPages, releaseDate } from '../../scripts/reference/man-pages.ts';
import { referenceMarkdown } from '../../scripts/reference/markdown.ts';

const program = await describeProgram(packageJson.version);

const pages = manPages(program, releaseDate(packageJson.version));

test.each([['docs/reference.md', referenceMarkdown(program)] as const, ...pages])(
  '%s matches the program; npm run reference updates it',
  (path, text) => {
    expect(readFileSync(path, 'utf8')).toBe(text);
  },
);

test('natter and each of its commands have a man page, which package.json lists', () => {
  const paths = pages.map(([path]) => path);
  expect(paths).toHaveLength(16);
  expect(paths).toContain('man/natter-models.1');
  expect(packageJson.man).toEqual(paths);
  expect(readdirSync('man').map((name) => `man/${name}`)).toEqual(paths.toSorted());
});

test('a man page has its date, and natter.1 every section of one', () => {
  const [main = ['', '']] = pages;
  expect(main[1]).toMatch(/^\.TH NATTER 1 20\d\d-\d\d-\d\d "natter \d/);
  const sections = [...main[1].matchAll(/^\.SH (?<title>.*)$/gm)].map(([, title]) => title);
  expect(sections).toEqual([
    'NAME',
    'SYNOPSIS',
    'DESCRIPTION',
    'OPTIONS',
    'COMMANDS',
    'EXIT STATUS',
    'ENVIRONMENT',
    'FILES',
    'EXAMPLES',
    'SEE ALSO',
  ]);
  expect(main[1]).toContain('\n.B natter \\-\\-sandbox \\(dqhello\\(dq\n');
});

test('natter.1 has the files of natter, below the home folder', () => {
  const [main = ['', '']] = pages;
  for (const { summary } of storedKinds) expect(main[1]).toContain(`\n${summary}\n`);
  expect(main[1]).toContain('\n.B ~/.config/natter/credentials.json\n');
});

/** Not a package, so that only those who have it lint the pages. */
const linter = 'mandoc';
const hasMandoc = spawnSync(linter, ['-T', 'lint', '/dev/null']).error === undefined;

describe('mandoc', () => {
  const note = 'mandoc is not installed: the man pages are not linted';

  test.for(pages)('%s has no warnings', ([path], { skip }) => {
    skip(!hasMandoc, note);
    const { status, stdout, stderr } = spawnSync(linter, ['-T', 'lint', '-W', 'warning', path], {
      encoding: 'utf8',
    });
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '', stderr: '' });
  });

  test('a page with a mistake has a warning', ({ skip }) => {
    skip(!hasMandoc, note);
    const input = '.TH X 1 "" "natter"\n.SH NAME\nx\n';
    const words = ['-T', 'lint', '-W', 'warning'];
    const { status, stdout } = spawnSync(linter, words, { encoding: 'utf8', input });
    expect(status).not.toBe(0);
    expect(stdout).toContain('missing date');
  });
});

test.each(pages)('%s uses only known roff requests', (_path, text) => {
  const requests = text
    .split('\n')
    .flatMap((line) => /^[.'](?<name>\S*)/.exec(line)?.groups?.['name'] ?? []);
  const known = new Set('TH SH SS B BR br TP PP RS RE nf fi'.split(' '));
  expect(requests.filter((name) => !known.has(name))).toEqual([]);
  expect(requests.length).toBeGreaterThan(10);
});
