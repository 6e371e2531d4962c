import { readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { createDataFolder, type DataFolder } from '../../support/data-folder.ts';
import { folderOf } from '../../support/folder.ts';
import { expectFailure } from '../../support/in-memory.ts';

let data: DataFolder;
let env: Record<string, string>;

const run = (words: readonly string[], input = '', others: Record<string, string> = {}) =>
  data.run(words, { input, env: { ...env, ...others } });
const conversations = (...words: string[]) => run(['conversations', ...words]);
const ask = (keep: string, ...words: string[]) =>
  run(['--sandbox', ...words, '[sandbox echo] hello'], '', { NATTER_KEEP: keep });

/** A conversation that changed on the first day of 2020. */
async function addOld(title: string, pinned = false): Promise<void> {
  const header = { type: 'conversation', version: 1, id: '' };
  const turn = { type: 'turn', id: 'a', parent: null, role: 'user', content: title };
  const created_at = '2020-01-01T00:00:00.000Z';
  const records = [header, { ...turn, created_at }, ...(pinned ? [{ type: 'pin', pinned }] : [])];
  const lines = records.map((record) => JSON.stringify(record)).join('\n');
  expect((await run(['conversations', 'import', '-'], lines)).code).toBe(0);
}

const titles = async () => {
  const { stdout } = await conversations('list', '--json');
  return (JSON.parse(stdout) as { title: string }[]).map(({ title }) => title).sort();
};

beforeEach(() => {
  data = createDataFolder();
  env = { NATTER_STATE_DIR: folderOf() };
});

describe('natter conversations import', () => {
  const claude = JSON.stringify([
    {
      uuid: 'u1',
      name: 'Tea',
      chat_messages: [{ sender: 'human', text: 'my key is secret-0123456789' }],
    },
    { uuid: 'u2', name: 'empty', chat_messages: [] },
  ]);

  test('writes private journals once, with secrets masked, dated as they last changed', async () => {
    const secret = { NATTER_API_KEY: 'secret-0123456789' };
    const first = await run(['conversations', 'import', '-'], claude, secret);
    expect(first.stdout).toMatch(/^\w{8}\tTea\n$/);
    expect(first.stderr).toContain('1 conversation imported, 1 without a prompt left out');
    const [name = ''] = readdirSync(join(data.path, 'conversations'));
    const file = join(data.path, 'conversations', name);
    expect(readFileSync(file, 'utf8')).toContain('my key is ***');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    await conversations('delete', 'Tea');
    const again = await run(['conversations', 'import', '-'], claude);
    expect(again).toMatchObject({ code: 0, stdout: '' });
    expect(again.stderr).toContain('0 conversations imported, 1 already there');
    await addOld('old');
    const [{ changed_at: changed = '' } = {}] = JSON.parse(
      (await conversations('list', '--json')).stdout,
    ) as { changed_at?: string }[];
    expect(changed).toBe('2020-01-01T00:00:00.000Z');
  });

  test('an export and a journal come back as they were, and are there once', async () => {
    await ask('forever');
    const { stdout } = await conversations('export', 'latest', '--format', 'json', '--siblings');
    const [name = ''] = data.files();
    const journal = readFileSync(join(data.path, 'conversations', name), 'utf8');
    const there = await run(['conversations', 'import', '-'], stdout);
    expect(there.stderr).toContain('0 conversations imported, 1 already there');
    rmSync(join(data.path, 'conversations', name));
    expect((await run(['conversations', 'import', '-'], stdout)).code).toBe(0);
    const back = await conversations('export', 'latest', '--format', 'json', '--siblings');
    expect(back.stdout).toBe(stdout);
    const other = journal.replace(/"created_at":"[^"]+"/, '"created_at":"2020-02-02T00:00:00Z"');
    await run(['conversations', 'import', '-'], other);
    expect(data.files()).toHaveLength(2);
  });

  test('names each file that cannot be read, and imports the others', async () => {
    const file = join(folderOf(), 'claude.json');
    writeFileSync(file, claude);
    const { code, stdout, stderr } = await conversations('import', 'missing.json', file, data.path);
    expect({ code, stdout }).toEqual({ code: 2, stdout: expect.stringContaining('Tea') });
    expect(stderr).toContain('cannot read missing.json: there is no such file');
    expect(stderr).toContain('2 parts could not be imported');
  });
});

describe('natter conversations prune', () => {
  beforeEach(async () => {
    await addOld('old');
    await addOld('deleted');
    await conversations('delete', 'deleted');
    await addOld('pinned', true);
    await ask('forever');
  });

  test('deletes old conversations for good, also those in the trash; not pinned ones', async () => {
    const dry = await conversations('prune', '--older-than', '90d', '--dry-run');
    expect(dry.stdout.match(/\t(?:old|deleted)\t/g)).toHaveLength(2);
    expect(dry.stderr).toContain('this would delete 2 conversations for good; the oldest, ');
    const asked = await conversations('prune', '--older-than', '90d');
    expectFailure(asked, 2, 'deleting 2 conversations for good needs --yes here');
    const done = await conversations('prune', '--older-than', '90d', '--yes');
    expect(done.stderr).toContain('deleted 2 conversations for good');
    expect(await titles()).toEqual(['[sandbox echo] hello', 'pinned']);
    expect((await conversations('list', '--deleted')).stdout).toBe('');
  });

  test.each(['', '90 days', '0d'])('refuses the age %j', async (age) => {
    const message = '--older-than must be an age such as 90d, 12w or 48h';
    expectFailure(await conversations('prune', `--older-than=${age}`), 2, message);
    expectFailure(await conversations('prune'), 2, message);
  });
});

describe('the setting keep', () => {
  const setDay = (day: string) =>
    writeFileSync(join(env['NATTER_STATE_DIR'] ?? '', 'keep.json'), `{"90d":"${day}"}`);

  test('deletes nothing on the first day, but says what it will; then old ones once a day', async () => {
    await addOld('old');
    const said = 'keep is 90d: from tomorrow on, natter deletes older conversations for good, 1 ';
    expect((await ask('90d', '-q')).stderr).toContain(said);
    expect((await ask('90d')).stderr).not.toContain('keep');
    expect(await titles()).toContain('old');
    setDay('2020-01-01');
    expect((await ask('90d')).stderr).toContain('deleted 1 conversation older than 90d for good');
    expect(await titles()).not.toContain('old');
  });

  test('leaves the conversation that is continued, and does nothing with --no-save', async () => {
    await ask('forever');
    const file = join(data.path, 'conversations', data.files()[0] ?? '');
    utimesSync(file, 1, 1);
    setDay('2020-01-01');
    expect((await ask('90d', '--no-save')).stderr).not.toContain('deleted');
    expect((await ask('90d', '-c')).stderr).not.toContain('deleted');
    expect(data.only().turns.size).toBe(4);
  });
});
