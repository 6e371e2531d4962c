import { beforeAll, describe, expect, test } from 'vitest';
import { completionTree } from '../../src/commands/completion/tree.ts';
import type { CompletedCommand } from '../../src/run.ts';
import { commandNames } from '../../src/commands/program/command-names.ts';
import { buildProgram } from '../../src/commands/program/program.ts';
import { createDataFolder, type DataFolder } from '../support/data-folder.ts';
import { createMemoryContext } from '../support/memory-context.ts';

/** A value for each argument that names or finds something; it does not exist. */
const missingValues: Readonly<Record<string, string>> = {
  conversation: 'nowhere',
  conversations: 'nowhere',
  model: 'nowhere',
  pattern: 'nowhere',
  text: 'nowhere',
};

/** Command lines for something that does not exist, of all commands that name or find something. */
function missingLines(command: CompletedCommand, path: readonly string[] = []): string[][] {
  const names = command.arguments.map(({ name }) => name);
  const values = names.map((name) => missingValues[name] ?? 'x');
  const own = names.some((name) => Object.hasOwn(missingValues, name))
    ? [[...path, ...values]]
    : [];
  return [
    ...own,
    ...command.commands.flatMap((child) => missingLines(child, [...path, child.name])),
  ];
}

const tree = completionTree(buildProgram(createMemoryContext().context, commandNames));
const lines = missingLines(tree);

let data: DataFolder;

beforeAll(async () => {
  data = createDataFolder();
  await data.run(['--sandbox', '[sandbox echo] first **words**']);
});

describe('Y34', () => {
  test('the command tree has commands for conversations, models and texts', () => {
    const named = lines.map((line) => line.join(' '));
    expect(named).toContain('conversations show nowhere');
    expect(named).toContain('models search nowhere');
  });

  test.each([
    ...lines,
    ['conversations', 'search', 'nowhere', '--json'],
    ['last', '--block', '1'],
    ['config', 'get', 'system'],
    ['config', 'paths', 'nowhere'],
  ])('not_found without output: natter %s %s %s %s', async (...words) => {
    const { code, stdout } = await data.run([...words, '--sandbox']);
    expect({ code, stdout }).toEqual({ code: 6, stdout: '' });
  });

  test.each([
    [['--resume', 'flowers', 'hello', '--sandbox'], 'natter conversations search flowers'],
    [['--resume', 'two words', 'hello', '--sandbox'], 'natter conversations search WORD'],
    [['conversations', 'undelete', 'flowers'], 'natter conversations list --deleted'],
  ])('natter %j names the command that finds a conversation: %s', async (words, command) => {
    const { code, stderr } = await data.run(words);
    expect(code).toBe(6);
    expect(stderr).toContain(command);
  });

  test.each([
    ['conversations', 'list', '--deleted'],
    ['config', 'unset', 'model'],
    ['auth', 'logout'],
  ])('an empty list or a change already in effect succeeds: natter %s %s', async (...words) => {
    expect((await data.run(words)).code).toBe(0);
  });
});

test.each([
  ['nextgn', 'did you mean -m nextgen? natter models list shows the available models'],
  ['Origin', 'did you mean -m origin? natter models list shows the available models'],
  ['other', 'natter models list shows the available models; natter auth status shows'],
])('the unknown model %s has the hint: %s', async (model, hint) => {
  const { code, stderr } = await data.run(['--sandbox', '-m', model, 'hi']);
  expect(code).toBe(6);
  expect(stderr).toContain(`\n  ${hint}`);
  const json = await data.run(['--sandbox', '-m', model, '--json', 'hi']);
  const document = JSON.parse(json.stdout) as { readonly error: { readonly hint: string } };
  expect(document.error.hint).toContain(hint);
});
