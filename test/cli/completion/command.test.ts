import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { childNamed } from '../../../src/cli/help-details.ts';
import { printCompletions } from '../../../src/cli/completion.ts';
import { buildProgram } from '../../../src/cli/program.ts';
import { folderOf } from '../../support/folder.ts';
import { createMemoryContext } from '../../support/memory-context.ts';

/** First prompts by id, and settings. */
interface Machine {
  readonly conversations?: Readonly<Record<string, string>>;
  readonly deleted?: Readonly<Record<string, string>>;
  readonly settings?: object;
}

function journals(folder: string, prompts: Readonly<Record<string, string>> = {}) {
  const at = '2026-01-01T00:00:00.000Z';
  const files = Object.entries(prompts).map(([id, content]) => {
    const header = { type: 'conversation', version: 1, id, created_at: at };
    const turn = { type: 'turn', id: 'a', parent: null, role: 'user', content, at };
    return [`data/${folder}/${id}.jsonl`, `${JSON.stringify(header)}\n${JSON.stringify(turn)}\n`];
  });
  return Object.fromEntries(files) as Record<string, string>;
}

function prepare({ conversations, deleted, settings = {} }: Machine) {
  const home = folderOf({
    'config/config.json': JSON.stringify(settings),
    ...journals('conversations', conversations),
    ...journals('trash', deleted),
  });
  const folders = { NATTER_CONFIG_DIR: join(home, 'config'), NATTER_DATA_DIR: join(home, 'data') };
  return createMemoryContext({ environment: folders, homeDirectory: home });
}

const program = buildProgram(createMemoryContext().context);

/** The candidates for the last word of `line`, which is empty after a space. */
async function complete(line: string, machine: Machine = {}): Promise<readonly string[]> {
  const words = line.split(' ');
  const { context, stdout } = prepare(machine);
  await printCompletions(context, program, [...words.slice(0, -1), `=${words.at(-1) ?? ''}`]);
  return stdout()
    .split('\n')
    .filter((text) => text !== '');
}

/** The subcommands of a group, or the commands of natter, with this prefix. */
function commandsWith(prefix: string, group?: string): readonly string[] {
  const { commands } = childNamed(program, group ?? '') ?? program;
  return commands.map((command) => command.name()).filter((name) => name.startsWith(prefix));
}

const valuesOf = (lines: readonly string[]) => lines.map((text) => text.split('\t')[0]);

describe('words and options', () => {
  test('the command tree has the expected commands', () => {
    expect(commandsWith('un', 'sessions')).toContain('undelete');
    expect(commandsWith('', 'batch')).toContain('merge');
  });

  test('are all commands at the start of the line', async () => {
    expect(valuesOf(await complete(''))).toEqual(commandsWith(''));
  });

  test.each<[string, readonly string[]]>([
    ['mo', commandsWith('mo')],
    ['--quiet mo', commandsWith('mo')],
    ['--profile work mo', commandsWith('mo')],
    ['-m nextgen mo', commandsWith('mo')],
    ['config un', commandsWith('un', 'config')],
    ['sessions un', commandsWith('un', 'sessions')],
    ['help config se', commandsWith('se', 'config')],
    ['help sessions sh', commandsWith('sh', 'sessions')],
    ['help pri', ['privacy']],
    ['help ser', ['service']],
    ['what mo', []],
    ['-- mo', []],
    ['config set model x mo', []],
    ['completion ', ['bash', 'zsh', 'fish', 'powershell']],
    ['--no-st', ['--no-stream', '--no-stdin']],
    ['what is --no-st', ['--no-stream', '--no-stdin']],
    ['models get --js', ['--json']],
    ['models get x --bas', ['--base-url']],
    ['sandbox --bas', []],
    ['-- --mod', []],
    ['--resume --bran', ['--branch']],
    ['batch --temp', ['--template']],
    ['batch merge --temp', []],
    ['batch merge --outp', ['--output']],
  ])('of "natter %s" are %j', async (line, expected) => {
    expect(valuesOf(await complete(line))).toEqual(expected);
  });

  test('have their summaries', async () => {
    const summary = childNamed(program, 'sandbox')?.summary();
    expect(await complete('sand')).toEqual([`sandbox	${summary}`]);
  });
});

describe('values', () => {
  const settings = {
    version: 1,
    profiles: { local: { model: 'llama3:8b' }, work: { model: 'nextgen' } },
  };

  test.each<[string, readonly string[]]>([
    ['--color ', ['auto', 'always', 'never']],
    ['--color=a', ['--color=auto', '--color=always']],
    ['conversations export latest --format ', ['markdown', 'md', 'json', 'html']],
    ['-m ', ['origin', 'nextgen', 'auto', 'llama3:8b']],
    ['compare -m ', ['origin', 'nextgen', 'local:llama3:8b', 'work:nextgen']],
    [
      'compare --models origin,',
      ['origin,nextgen', 'origin,local:llama3:8b', 'origin,work:nextgen'],
    ],
    ['--fallback ', ['origin', 'nextgen', 'local:llama3:8b', 'work:nextgen']],
    ['batch --fallback nextgen,l', ['nextgen,local:llama3:8b']],
    ['config set fallback l', ['local:llama3:8b']],
    ['--every 200', ['200l', '200l,30s']],
    ['--schema ', [':files']],
    ['--response-format j', ['json_object', 'json_schema']],
    ['--theme l', ['light']],
    ['usage --since ', ['today', '7d', '4w', '30d']],
    ['models get l', ['llama3:8b']],
    ['config set model n', ['nextgen']],
    ['config set colors.co', ['colors.code', 'colors.comment']],
    ['config set colors.code bright-b', ['bright-black', 'bright-blue']],
    ['config set colors.code d', ['default']],
    ['config set save ', ['true', 'false']],
    ['config set system ', []],
    ['config get max', ['max-tokens']],
    ['config paths c', ['credentials', 'conversations', 'cache']],
    ['--profile ', ['default', 'local', 'work']],
    ['config use w', ['work']],
    ['--file ', [':files']],
    ['-f ', [':files']],
    ['--file=', [':files']],
    ['batch ', [...commandsWith('', 'batch'), ':files']],
    ['batch x', [':files']],
    ['batch merge a ', [':files']],
    ['batch --format ', ['lines', 'jsonl', 'csv', 'tsv']],
    ['--stdin-encoding utf-', ['utf-8', 'utf-16le']],
  ])('of "natter %s" are %j', async (line, expected) => {
    expect(valuesOf(await complete(line, { settings }))).toEqual(expected);
  });

  const conversations = { zzxgc4jv: '\u001B[31mwhy is the sky\tblue?\u0007' };

  test.each([
    '--resume ',
    '--resume=',
    'last ',
    'conversations show ',
    'conversations delete a ',
    'sessions rename ',
  ])('of "natter %s" are conversations with clean titles', async (line) => {
    const prefix = line === '--resume=' ? '--resume=' : '';
    expect(await complete(line, { conversations })).toEqual([
      `${prefix}latest\tmost recent conversation`,
      `${prefix}zzxgc4jv\twhy is the sky blue?`,
    ]);
    expect(await complete(line)).toEqual([]);
  });

  test('of undelete are conversations in the trash', async () => {
    const machine = { conversations, deleted: { wk393795: 'deleted' } };
    const found = valuesOf(await complete('conversations undelete ', machine));
    expect(found).toEqual(['latest', 'wk393795']);
  });
});
