import { createHash } from 'node:crypto';
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { messagesOf, pathOf } from '../../../src/conversation/tree.ts';
import { createDataFolder, type DataFolder } from '../../support/data-folder.ts';
import { expectFailure } from '../../support/in-memory.ts';
import { openTerminal } from '../../support/terminal.ts';

const echo = (text: string) => ['--sandbox', `[sandbox echo] ${text}`];

const hash = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest('hex');

/** The messages of a dry run. */
function sentMessages(stdout: string): unknown {
  return (JSON.parse(stdout) as { request: { body: { messages: unknown } } }).request.body.messages;
}

describe('a one-shot conversation', () => {
  test('D21 is saved with exactly the bytes received', async () => {
    const data = createDataFolder();
    const { stdoutBytes } = await data.run(['--sandbox', '--raw', '[sandbox unicode tokens=300]']);
    const turns = pathOf(data.only());
    expect(turns.map(({ role }) => role)).toEqual(['user', 'assistant']);
    expect(hash(turns[1]?.content ?? '')).toBe(hash(stdoutBytes));
    expect(turns[1]).toMatchObject({ model: 'origin', finishReason: 'stop' });
    expect(turns[1]?.incomplete).toBeUndefined();
  });

  test('S31 is saved with a refusal, which natter last shows as one', async () => {
    const data = createDataFolder();
    const result = await data.run(['--sandbox', '[sandbox refusal echo] I will not']);
    expectFailure(result, 14, 'the model refused: I will not');
    expect(pathOf(data.only())[1]).toMatchObject({ content: '', refusal: 'I will not' });
    const last = await data.run(['last']);
    expect(last).toMatchObject({ code: 0, stdout: '' });
    expect(last.stderr).toContain('the model refused: I will not');
  });

  test.skipIf(process.platform === 'win32')('K24 is private and leaves no lock', async () => {
    const data = createDataFolder();
    await data.run(echo('hello'));
    const folder = join(data.path, 'conversations');
    const [name = '', ...others] = readdirSync(folder);
    expect(others).toEqual([]);
    expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  });

  test.each([
    ['--no-save', ['--no-save'], {}],
    ['the setting', [], { NATTER_SAVE: 'false' }],
    ['--dry-run', ['--dry-run'], {}],
  ])('is not saved with %s', async (_what, words, env) => {
    const data = createDataFolder();
    const { code } = await data.run([...words, ...echo('hello')], { env });
    expect(code).toBe(0);
    expect(readdirSync(data.path)).toEqual([]);
  });

  test('is not created if no service is configured', async () => {
    const data = createDataFolder();
    expect((await data.run(['hello'])).code).toBe(3);
    expect(readdirSync(data.path)).toEqual([]);
  });
});

describe('continuing', () => {
  test('sends the earlier turns, and saves the new ones', async () => {
    const data = createDataFolder();
    await data.run(['-s', 'be brief', ...echo('one')]);
    const dry = await data.run(['-c', '--dry-run', 'two']);
    expect(sentMessages(dry.stdout)).toEqual([
      { role: 'system', content: 'be brief' },
      { role: 'user', content: '[sandbox echo] one' },
      { role: 'assistant', content: 'one' },
      { role: 'user', content: 'two' },
    ]);
    await data.run(['-c', ...echo('two')]);
    const texts = pathOf(data.only()).map(({ content }) => content);
    expect(texts).toEqual(['be brief', '[sandbox echo] one', 'one', '[sandbox echo] two', 'two']);
  });

  test('keeps the model of the conversation unless the command line has one', async () => {
    const data = createDataFolder();
    await data.run(['-m', 'nextgen', ...echo('one')]);
    const dry = JSON.parse((await data.run(['-c', '--dry-run', 'two'])).stdout) as object;
    // N32: the source of the model is the conversation, not the default that it replaces.
    const setting = { name: 'model', value: 'nextgen', source: 'conversation' };
    expect(dry).toMatchObject({
      request: { body: { model: 'nextgen' } },
      settings: expect.arrayContaining([setting]) as unknown,
    });
    const named = await data.run(['-c', '-m', 'origin', '--dry-run', 'two']);
    expect(named.stdout).toContain('"model": "origin"');
  });

  test.each(['latest', 'title', 'id'])('finds the conversation by %s', async (by) => {
    const data = createDataFolder();
    await data.run(echo('first words'));
    const names = {
      latest: 'latest',
      title: '[Sandbox echo] FIRST',
      id: data.only().id.slice(0, 5),
    };
    const name = names[by as keyof typeof names];
    const { code } = await data.run(['--resume', name, ...echo('two')]);
    expect(code).toBe(0);
    expect(pathOf(data.only())).toHaveLength(4);
  });

  test('D16 omits a failed prompt from the next request, with a notice', async () => {
    const data = createDataFolder();
    await data.run(echo('one'));
    expect((await data.run(['-c', '--sandbox', '[sandbox status=403] two'])).code).toBe(5);
    const { stderr } = await data.run(['-c', ...echo('three')]);
    expect(stderr).toContain('has no answer and is not sent');
    const contents = messagesOf(data.only()).map(({ content }) => content);
    expect(contents).toEqual(['[sandbox echo] one', 'one', '[sandbox echo] three', 'three']);
  });

  test.each([
    ['an unknown name', ['--resume', 'nobody', 'hi'], 6, 'there is no conversation "nobody"'],
    ['no conversation yet', ['-c', 'hi'], 6, 'there is no conversation yet'],
    ['--branch alone', ['--branch', 'hi'], 2, '--branch needs a conversation'],
    ['K26 a path', ['--resume', '../../etc/passwd', 'hi'], 6, 'there is no conversation'],
    ['K26 a device', ['--resume', 'CON', 'hi'], 6, 'there is no conversation'],
    ['K26 10 kB', ['--resume', 'x'.repeat(10_240), 'hi'], 6, 'there is no conversation'],
  ])('fails for %s', async (_what, words, code, message) => {
    const data = createDataFolder();
    const result = await data.run(['--sandbox', ...words]);
    expect(result.code).toBe(code);
    expect(result.stderr).toContain(message);
  });
});

describe('failing storage', () => {
  test('D10 without a home folder there is one warning', async () => {
    const data = createDataFolder();
    const { code, stdout, stderr } = await data.run(echo('hello'), {
      env: { HOME: '', NATTER_DATA_DIR: '', XDG_DATA_HOME: '' },
    });
    expect({ code, stdout: stdout.trim() }).toEqual({ code: 0, stdout: 'hello' });
    expect(stderr.match(/warning: .*home folder is unknown/g)).toHaveLength(1);
  });

  test.each([
    [
      'D11 with a file in place of the data folder',
      (path: string) => {
        rmSync(path, { recursive: true });
        writeFileSync(path, '');
      },
    ],
    [
      'D11 with a file in place of the conversations folder',
      (path: string) => {
        writeFileSync(join(path, 'conversations'), '');
      },
    ],
    [
      'D10 with a folder that is not writable',
      (path: string) => {
        mkdirSync(join(path, 'conversations'));
        chmodSync(join(path, 'conversations'), 0o500);
      },
    ],
  ])('%s the answer is still printed', async (_what, spoil) => {
    const data = createDataFolder();
    spoil(data.path);
    const { code, stdout, stderr } = await data.run(echo('hello'));
    expect({ code, stdout: stdout.trim() }).toEqual({ code: 0, stdout: 'hello' });
    // The superuser can write anywhere, and Windows has no such modes.
    const isRoot = process.platform === 'win32' || process.getuid?.() === 0;
    const warnings = stderr.match(/warning: .* natter goes on without saving/g) ?? [];
    expect(warnings.length).toBeLessThanOrEqual(1);
    expect(warnings.length === 1 || isRoot).toBe(true);
  });
});

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
    expect(rows.map(({ title }) => title)).toEqual([
      '[sandbox echo] second',
      '[sandbox echo] first **words**',
    ]);
    const { stdout } = await data.run(['sessions']);
    const cells = stdout.split('\n')[0]?.split('\t');
    expect(cells).toHaveLength(6);
    expect([cells?.[0], cells?.[2], cells?.[4]]).toEqual([rows[0]?.id, '2', 'origin']);
  });

  test('N12: list marks those without an answer: in JSON, and on a terminal of 40 columns', async () => {
    await data.run(['--sandbox', '--retries', '0', '[sandbox status=500] why?']);
    expect(await listed()).toMatchObject([{ answered: false }, { answered: true }]);
    const { stdout } = await run('list');
    expect(stdout).toMatch(/^\w+\t.+\t\[sandbox status=500\] why\?\tno answer\n/);
    const env = { ...data.env, NO_COLOR: '1' };
    const terminal = openTerminal(['conversations', 'list'], { columns: 40, env });
    expect((await terminal.exit).exitCode).toBe(0);
    const rows = (await terminal.transcript()).split('\n');
    expect(rows[1]).toMatch(/^\w{8} {2}[\w ]+ {2}\(no answer\) \[/);
    expect(rows[2]).not.toContain('no answer');
  });

  test('list shows a pinned one first, with a mark on a terminal and in JSON', async () => {
    const [{ id } = { id: '' }] = await listed();
    await ask('second');
    const file = join(data.path, 'conversations', `${id}.jsonl`);
    appendFileSync(file, '{"type":"pin","pinned":true}\n');
    utimesSync(file, 1, 1);
    expect(await listed()).toMatchObject([{ id, pinned: true }, { pinned: false }]);
    const env = { ...data.env, NO_COLOR: '1' };
    const terminal = openTerminal(['conversations', 'list'], { columns: 80, env });
    expect((await terminal.exit).exitCode).toBe(0);
    const rows = (await terminal.transcript()).split('\n');
    expect(rows[1]).toMatch(new RegExp(`^${id} .+ \\(pinned\\) \\[sandbox echo\\] first`));
    expect(rows[2]).not.toContain('pinned');
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
    expect(stdout).toContain(
      '## You\n\n[sandbox echo] first **words**\n\n## origin\n\nfirst **words**\n',
    );
  });

  test('search prints a row for each line, and the number of hits', async () => {
    const { stdout, stderr } = await run('search', 'WORDS');
    const [row] = stdout.split('\n');
    expect(row?.split('\t').slice(2)).toEqual([
      'user',
      '1',
      'hit',
      '[sandbox echo] first **words**',
    ]);
    expect(stderr).toContain('2 hits in 1 conversation');
  });

  test('search finds the conversations with every word, and a quoted phrase as a whole', async () => {
    await ask('other words');
    const found = await run('search', 'words', 'first');
    expect(found.stderr).toContain('4 hits in 1 conversation');
    expect((await run('search', 'other words')).stderr).toContain('2 hits in 1 conversation');
    expect((await run('search', 'words other')).stderr).toContain('no match for "words other"');
    expect((await run('search', 'first', 'other')).stderr).toContain(
      'no match for "first" and "other" in 2 conversations',
    );
    expect(await run('search', '-E', 'o', 'w')).toMatchObject({ code: 2 });
  });

  test('search without a hit counts the conversations', async () => {
    expect((await run('search', 'nowhere')).stderr).toContain(
      'no match for "nowhere" in 1 conversation',
    );
  });

  test.each([
    ['page.html', '<!doctype html>'],
    ['page.md', '# [sandbox echo]'],
    ['page.json', '{\n  "id"'],
  ])(
    'export writes %s in the format of its extension, and overwrites nothing',
    async (name, start) => {
      const file = join(data.path, name);
      expect((await run('export', 'latest', '-o', file)).code).toBe(0);
      expect(readFileSync(file, 'utf8').startsWith(start)).toBe(true);
      const again = await run('export', 'latest', '-o', file);
      expect({ code: again.code, stderr: again.stderr }).toMatchObject({ code: 2 });
      expect(again.stderr).toContain('--force');
    },
  );

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
    const { code, stderr } = await run('undelete', 'nobody');
    expect(code).toBe(6);
    expect(stderr).toContain('no conversation "nobody" in the trash\n');
    expect(stderr).toContain('natter conversations list --deleted');
  });

  test('delete moves nothing if one of its names is unknown', async () => {
    expect((await run('delete', 'latest', 'nobody')).code).toBe(6);
    expect(await listed()).toHaveLength(1);
  });

  test('export accepts md for markdown', async () => {
    const { code, stdout } = await run('export', 'latest', '--format', 'md');
    expect(code).toBe(0);
    expect(stdout).toContain('first **words**');
  });

  test('an unknown command is refused with a suggestion', async () => {
    expectFailure(await run('serach'), 2, 'did you mean natter conversations search?');
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
      stderr: `natter: conversation ${failed} has no answer; this is the last answer of conversation ${id}\n`,
    });
    expect(await data.run(['last', failed])).toMatchObject({
      code: 6,
      stderr: `natter: conversation ${failed} has no answer\n  natter conversations list shows all conversations\n`,
    });
  });

  test('prints a code block without its fences', async () => {
    await ask('two:\n```sh\nls -l\n```\nand\n```\npwd\n```');
    expect((await data.run(['last', '--block', '1'])).stdout).toBe('ls -l\n');
    expect((await data.run(['last', '--block=-1'])).stdout).toBe('pwd\n');
    expectFailure(await data.run(['last', '--block', '3']), 6, '2 code blocks');
  });
});
