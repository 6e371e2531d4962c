import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { openExampleShell } from '../support/example-shell.ts';
import { blocksOf } from '../support/guide-blocks.ts';
import { installedShells } from '../support/installed-shells.ts';

const guide = readFileSync('docs/scripts.md', 'utf8');
const covered = blocksOf('scripts.md', guide).filter(
  ({ testedBy }) => testedBy === 'test/shells/one-liners.ts',
);
const blockOf = (language: string) =>
  covered.find((block) => block.language === language)?.text ?? '';

/** Each paragraph of the block starts with a comment that names the shells for its lines. */
function linesFor(shell: string): readonly string[] {
  return blockOf('sh')
    .trim()
    .split('\n\n')
    .flatMap((paragraph) => {
      const [heading = '', ...lines] = paragraph.split('\n');
      return heading.slice('# '.length).split(', ').includes(shell) ? lines : [];
    });
}

const shells = ['bash', 'zsh', 'dash', 'fish'];
const shell = await openExampleShell();

/** The sandbox repeats a prompt that asks for it, so that the output of a line is known. */
const echo = (line: string) =>
  line.replace(/(?<quote>["'])(?=an? |three )/g, '$<quote>[sandbox echo] ');

/** A line that prints nothing writes a file, which is shown after it. */
const written =
  /> (?<file>\S+?);?(?: \|\| true|; done|; end|; then .*)?$|&& mv \S+ (?<renamed>\S+)$/;

/** What some lines print or write, with the prompts as answers. */
const outputs = new Map([
  ['natter "three names for a cat" | wc -l', /^ *1$/],
  ['natter "three names for a cat" | sort | uniq -c', /^ *1 three names for a cat$/],
  ['natter "a haiku" | tee haiku.txt', /^a haiku$/],
  // Both models repeat the prompt, so there is no difference.
  [
    'diff <(natter -m origin "a haiku") <(natter -m nextgen "a haiku") > difference.txt || true',
    /^$/,
  ],
  ['natter models list | cut -f 1', /^origin\nnextgen$/],
  ['natter "a haiku" > haiku.new && mv haiku.new haiku.txt', /^a haiku$/],
]);

test('the guide has at least thirty one-liners', () => {
  expect(new Set(shells.flatMap(linesFor)).size).toBeGreaterThanOrEqual(30);
});

describe.each(installedShells(shells))('%s', (name) => {
  test.each(linesFor(name))('%s', async (line) => {
    const file = written.exec(line)?.groups;
    const path = (file?.['file'] ?? file?.['renamed'] ?? '').replace(/^"?\$file/, 'notes.md');
    const { code, stdout, stderr } = await shell.run(
      path === '' ? echo(line) : `${echo(line)}; cat ${path.replace('"', '')}`,
      name,
    );
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.not.stringMatching(/error|not found/i),
    });
    expect(stdout.trimEnd()).toMatch(outputs.get(line) ?? /./);
  });
});

/** Writes a file of the shell and runs a command after it. */
const withFile = (name: string, text: string, command: string) =>
  `cat > ${name} <<'END'\n${text}END\n${command}`;

test('the rule for make writes a summary, and none after a failure', async () => {
  const rule = blockOf('make');
  const made = await shell.run(
    withFile('Makefile', rule, 'rm plan.summary; make -s plan.summary; cat plan.summary'),
  );
  expect(made).toMatchObject({ code: 0, stdout: expect.stringContaining('sum this up') });
  const failing = rule.replace('sum this up', '[sandbox 400]');
  const failed = await shell.run(
    withFile('Makefile', failing, 'rm plan.summary; make -s plan.summary; ls'),
  );
  expect(failed.stderr).toContain('Error 7');
  expect(failed.stdout).toContain('plan.md');
  expect(failed.stdout.split('\n')).not.toContain('plan.summary');
});

test('the line for cron appends the answer to a file, from a short environment', async () => {
  const command = /`0 7 \* \* \* (?<command>[^`]+)`/.exec(guide)?.groups?.['command'] ?? '';
  expect(command).toMatch(/^PATH=\S+ natter /);
  const inTest = command.replace(/^PATH=\S+/, 'PATH="$PATH"');
  const service = 'NATTER_BASE_URL="$NATTER_BASE_URL" NATTER_API_KEY="$NATTER_API_KEY"';
  const { code, stdout } = await shell.run(
    `env -i HOME="$HOME" PATH="$PATH" ${service} /bin/sh -c '${inTest}'; cat questions.txt`,
  );
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('a question') });
});
