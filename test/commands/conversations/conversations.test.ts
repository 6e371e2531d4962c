import { appendFileSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { createDataFolder, type DataFolder } from '../../support/data-folder.ts';
import { expectFailure } from '../../support/in-memory.ts';
import { openTerminal } from '../../support/terminal.ts';

let data: DataFolder;

const ask = (prompt: string) => data.run(['--sandbox', `[sandbox echo] ${prompt}`]);

const run = (...words: string[]) => data.run(['conversations', ...words]);

beforeEach(async () => {
  data = createDataFolder();
  await ask('first **words**');
});

interface Row {
  readonly id: string;
  readonly title: string;
}

const listed = async (...words: string[]) =>
  JSON.parse((await run('list', '--json', ...words)).stdout) as Row[];

describe('natter conversations', () => {
  test('list starts with the latest conversation, as JSON and as rows', async () => {
    await ask('second');
    const rows = await listed();
    const titles = ['[sandbox echo] second', '[sandbox echo] first **words**'];
    expect(rows.map(({ title }) => title)).toEqual(titles);
    const { stdout, stderr } = await data.run(['sessions']);
    expect(stderr).toBe('');
    const cells = stdout.split('\n')[0]?.split('\t');
    expect(cells).toHaveLength(6);
    expect([cells?.[0], cells?.[2], cells?.[4]]).toEqual([rows[0]?.id, '2', 'origin']);
  });

  /** The rows of the list on a terminal. */
  async function rowsOnTerminal(columns: number) {
    const env = { ...data.env, NO_COLOR: '1' };
    const terminal = openTerminal(['conversations', 'list'], { columns, env });
    expect((await terminal.exit).exitCode).toBe(0);
    return (await terminal.transcript()).split('\n');
  }

  test('N12: list marks those without an answer: in JSON, and on a terminal of 40 columns', async () => {
    await data.run(['--sandbox', '--retries', '0', '[sandbox status=500] why?']);
    expect(await listed()).toMatchObject([{ answered: false }, { answered: true }]);
    const { stdout } = await run('list');
    expect(stdout).toMatch(/^\w+\t.+\t\[sandbox status=500\] why\?\tno answer\n/);
    const [, first, second] = await rowsOnTerminal(40);
    expect(first).toMatch(/^\w{8} {2}[\w ]+ {2}\(no answer\) \[/);
    expect(second).not.toContain('no answer');
  });

  test('list shows a pinned one first, with a mark on a terminal and in JSON', async () => {
    const [{ id } = { id: '' }] = await listed();
    await ask('second');
    const file = join(data.path, 'conversations', `${id}.jsonl`);
    appendFileSync(file, '{"type":"pin","pinned":true}\n');
    utimesSync(file, 1, 1);
    expect(await listed()).toMatchObject([{ id, pinned: true }, { pinned: false }]);
    const [, first, second] = await rowsOnTerminal(80);
    expect(first).toMatch(new RegExp(`^${id} .+ \\(pinned\\) \\[sandbox echo\\] first`));
    expect(second).not.toContain('pinned');
  });

  test('D19 list warns about a file that is not a journal, and shows the others', async () => {
    writeFileSync(join(data.path, 'conversations', 'bcdfghjk.jsonl'), 'not a journal');
    const { code, stdout, stderr } = await run('list');
    expect(code).toBe(0);
    expect(stdout.trim().split('\n')).toHaveLength(1);
    expect(stderr).toContain('has no readable records');
  });

  test('show prints Markdown', async () => {
    const { stdout } = await run('show', 'latest');
    expect(stdout).toContain('## You\n\n[sandbox echo] first **words**\n\n## origin\n\nfirst');
  });

  test('search prints a row for each line, and the hits of all words or of a phrase', async () => {
    const { stdout, stderr } = await run('search', 'WORDS');
    const cells = stdout.split('\n')[0]?.split('\t').slice(2);
    expect(cells).toEqual(['user', '1', 'hit', '[sandbox echo] first **words**']);
    expect(stderr).toContain('2 hits in 1 conversation');
    await ask('other words');
    const found = async (...words: string[]) => (await run('search', ...words)).stderr;
    expect(await found('words', 'first')).toContain('4 hits in 1 conversation');
    expect(await found('other words')).toContain('2 hits in 1 conversation');
    expect(await found('words other')).toContain('no match for "words other"');
    const none = 'no match for "first" and "other" in 2 conversations';
    expect(await found('first', 'other')).toContain(none);
    expect(await run('search', '-E', 'o', 'w')).toMatchObject({ code: 2 });
  });

  test.each([
    ['page.html', '<!doctype html>'],
    ['page.md', '# [sandbox echo]'],
    ['page.json', '{\n  "id"'],
  ])('export writes %s in its format, and overwrites nothing', async (name, start) => {
    const file = join(data.path, name);
    expect((await run('export', 'latest', '-o', file)).code).toBe(0);
    expect(readFileSync(file, 'utf8').startsWith(start)).toBe(true);
    expectFailure(await run('export', 'latest', '-o', file), 2, '--force');
  });

  test('K26 rename accepts any text, which never becomes the name of a file', async () => {
    const before = readdirSync(join(data.path, 'conversations'));
    for (const title of ['../../x', '/etc/passwd', 'CON', 'a'.repeat(10_240)]) {
      expect((await run('rename', 'latest', title)).code).toBe(0);
      expect((await listed())[0]?.title).toBe(title);
    }
    expect(readdirSync(join(data.path, 'conversations'))).toEqual(before);
  });

  test('delete moves a conversation to the trash, undelete restores it', async () => {
    const [row] = await listed();
    expect((await run('delete', row?.id ?? '')).stderr).toContain(`undelete ${row?.id}`);
    expect(await listed()).toEqual([]);
    expect(await listed('--deleted')).toEqual([row]);
    await run('undelete');
    expect(await listed()).toEqual([row]);
  });

  test('undelete of a missing conversation suggests the list of the trash', async () => {
    expect((await run('undelete', 'latest')).stderr).toBe('natter: the trash is empty\n');
    const hint = 'no conversation "nobody" in the trash\n  natter conversations list --deleted';
    expectFailure(await run('undelete', 'nobody'), 6, hint);
  });

  test('delete moves nothing if one of its names is unknown', async () => {
    expect((await run('delete', 'latest', 'nobody')).code).toBe(6);
    expect(await listed()).toHaveLength(1);
  });

  test('export accepts md for markdown', async () => {
    const { stdout } = await run('export', 'latest', '--format', 'md');
    expect(stdout).toContain('first **words**');
  });
});

describe('natter last', () => {
  test('prints the last answer byte for byte', async () => {
    expect((await data.run(['last'])).stdout).toBe('first **words**\n');
    const { stderr: reason } = await data.run(['last', '--block', '1']);
    expect(reason).toContain('the last answer has no code block\n');
  });

  test('prints the answer before a prompt that failed', async () => {
    const { id = '' } = (await listed())[0] ?? {};
    await data.run(['--sandbox', '--retries', '0', '[sandbox status=500] why?']);
    const { id: failed = '' } = (await listed())[0] ?? {};
    expect(failed).not.toBe(id);
    expect(await data.run(['last'])).toMatchObject({
      code: 0,
      stdout: 'first **words**\n',
      stderr: `natter: conversation ${failed} has no answer; this answer is from conversation ${id}\n`,
    });
    const message = `natter: conversation ${failed} has no answer\n  natter conversations list shows all`;
    expectFailure(await data.run(['last', failed]), 6, message);
  });

  test('prints an earlier answer, of the conversation as it is', async () => {
    await data.run(['-c', '--sandbox', '[sandbox echo] second']);
    expect((await data.run(['last', '-n', '2'])).stdout).toBe('first **words**\n');
    expectFailure(await data.run(['last', '-n', '3']), 6, 'this conversation has 2 answers, not 3');
    const block = await data.run(['last', '-n', '2', '--block', '1']);
    expectFailure(block, 6, 'answer 2 has no code block');
    for (const number of ['0', 'x', '-1', '']) {
      const wrong = await data.run(['last', `--answer=${number}`]);
      expectFailure(wrong, 2, '--answer must be 1 or more');
    }
  });

  test('prints a code block without its fences', async () => {
    await ask('two:\n```sh\nls -l\n```\nand\n```\npwd\n```');
    expect((await data.run(['last', '--block', '1'])).stdout).toBe('ls -l\n');
    expect((await data.run(['last', '--block=-1'])).stdout).toBe('pwd\n');
    expectFailure(await data.run(['last', '--block', '3']), 6, '2 code blocks');
    expect((await data.run(['last', '-x', 'latest'])).stdout).toBe('ls -l\n');
    expect((await data.run(['last', '-x', 'last'])).stdout).toBe('pwd\n');
    const missing = await data.run(['last', '-x', '3']);
    expectFailure(missing, 13, 'natter: the received answer:\ntwo:\n', 'has 2 code blocks, not 3');
  });
});
