import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { messagesOf, pathOf } from '../../../src/conversation/tree.ts';
import { createDataFolder, type DataFolder } from '../../support/data-folder.ts';
import { expectFailure } from '../../support/in-memory.ts';
import { jsonLines } from '../../support/natter.ts';

const echo = (text: string) => ['--sandbox', `[sandbox echo] ${text}`];

const hash = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest('hex');

let data: DataFolder;
beforeEach(() => {
  data = createDataFolder();
});

describe('a one-shot conversation', () => {
  test('D21 is saved with exactly the bytes received', async () => {
    const { stdoutBytes } = await data.run(['--sandbox', '--raw', '[sandbox unicode tokens=300]']);
    const turns = pathOf(data.only());
    expect(turns.map(({ role }) => role)).toEqual(['user', 'assistant']);
    expect(hash(turns[1]?.content ?? '')).toBe(hash(stdoutBytes));
    expect(turns[1]).toMatchObject({ model: 'origin', finishReason: 'stop' });
    expect(turns[1]?.incomplete).toBeUndefined();
  });

  test('S31 is saved with a refusal, which natter last shows as one', async () => {
    const result = await data.run(['--sandbox', '[sandbox refusal echo] I will not']);
    expectFailure(result, 14, 'the model refused: I will not');
    expect(pathOf(data.only())[1]).toMatchObject({ content: '', refusal: 'I will not' });
    const last = await data.run(['last']);
    expect(last).toMatchObject({ code: 0, stdout: '' });
    expect(last.stderr).toContain('the model refused: I will not');
  });

  test.each([
    ['--no-save', ['--no-save'], {}],
    ['the setting', [], { NATTER_SAVE: 'false' }],
    ['--dry-run', ['--dry-run'], {}],
  ])('is not saved with %s', async (_what, words, env) => {
    expect(await data.run([...words, ...echo('hello')], { env })).toMatchObject({ code: 0 });
    expect(readdirSync(data.path)).toEqual([]);
  });

  test('is not created if no service is configured', async () => {
    expect((await data.run(['hello'])).code).toBe(3);
    expect(readdirSync(data.path)).toEqual([]);
  });
});

describe('continuing', () => {
  test('sends the earlier turns, and saves the new ones', async () => {
    await data.run(['-s', 'be brief', ...echo('one')]);
    const dry = await data.run(['-c', '--dry-run', 'two']);
    const messages = [
      { role: 'system', content: 'be brief' },
      { role: 'user', content: '[sandbox echo] one' },
      { role: 'assistant', content: 'one' },
      { role: 'user', content: 'two' },
    ];
    expect(JSON.parse(dry.stdout)).toMatchObject({ request: { body: { messages } } });
    await data.run(['-c', ...echo('two')]);
    const texts = pathOf(data.only()).map(({ content }) => content);
    expect(texts).toEqual(['be brief', '[sandbox echo] one', 'one', '[sandbox echo] two', 'two']);
  });

  test('keeps the model of the conversation unless the command line has one', async () => {
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

  test('finds the conversation by latest, title and id', async () => {
    await data.run(echo('first words'));
    for (const name of ['latest', '[Sandbox echo] FIRST', data.only().id.slice(0, 5)]) {
      expect((await data.run(['--resume', name, ...echo('more')])).code).toBe(0);
    }
    expect(pathOf(data.only())).toHaveLength(8);
  });

  test('D16 omits a failed prompt from the next request, with a notice', async () => {
    await data.run(echo('one'));
    expect((await data.run(['-c', '--sandbox', '[sandbox status=403] two'])).code).toBe(5);
    const { stderr } = await data.run(['-c', ...echo('three')]);
    expect(stderr).toContain('has no answer and is not sent');
    const contents = messagesOf(data.only()).map(({ content }) => content);
    expect(contents).toEqual(['[sandbox echo] one', 'one', '[sandbox echo] three', 'three']);
  });

  test.each([
    ['an unknown name', ['--resume', 'nobody', 'hi'], 6, 'there is no conversation "nobody"'],
    ['no conversation to copy', ['-c', '--branch', 'hi'], 2, '--branch needs a conversation'],
    ['a name without letters', ['--conversation', ' ', 'hi'], 2, '--conversation needs a name'],
    ['--branch alone', ['--branch', 'hi'], 2, '--branch needs a conversation'],
    ['K26 a path', ['--resume', '../../etc/passwd', 'hi'], 6, 'there is no conversation'],
    ['K26 a device', ['--resume', 'CON', 'hi'], 6, 'there is no conversation'],
    ['K26 10 kB', ['--resume', 'x'.repeat(10_240), 'hi'], 6, 'there is no conversation'],
  ])('fails for %s', async (_what, words, code, message) => {
    expectFailure(await data.run(['--sandbox', ...words]), code, message);
  });
});

describe('--conversation', () => {
  test('starts a conversation with that title, says so, and continues it', async () => {
    const first = await data.run(['--conversation', 'Tea time', '--json', ...echo('one')]);
    expect(first.stderr).toContain('there is no conversation "Tea time" yet; this starts it');
    const second = await data.run(['--conversation', 'tea TIME', '--jsonl', ...echo('two')]);
    expect(second.stderr).toBe('');
    const { id } = data.only();
    expect(pathOf(data.only())).toHaveLength(4);
    const conversation = { id, title: 'Tea time' };
    expect(JSON.parse(first.stdout)).toMatchObject({ conversation });
    const last = jsonLines(second.stdout).at(-1);
    expect(last).toMatchObject({ type: 'answer-finished', conversation });
  });

  test('finds a renamed conversation, and starts a new one for its old name', async () => {
    await data.run(['--conversation', 'work', ...echo('one')]);
    await data.run(['conversations', 'rename', 'work', 'play']);
    await data.run(['--conversation', 'play', ...echo('two')]);
    expect(pathOf(data.only())).toHaveLength(4);
    await data.run(['--conversation', 'work', ...echo('three')]);
    expect(data.files()).toHaveLength(2);
  });

  test('is not saved with --no-save, and has no conversation in JSON', async () => {
    const words = ['--conversation', 'work', '--no-save', '--json', ...echo('one')];
    const { stdout } = await data.run(words);
    expect(JSON.parse(stdout)).not.toHaveProperty('conversation');
    expect(readdirSync(data.path)).toEqual([]);
  });

  test('shows no key in the title', async () => {
    const env = { NATTER_API_KEY: 'secret-key-0123456789' };
    const words = ['--json', ...echo('secret-key-0123456789')];
    const { stdout } = await data.run(words, { env });
    const { conversation } = JSON.parse(stdout) as { conversation: { title: string } };
    expect(conversation.title).toBe('[sandbox echo] ***');
  });
});

describe('--continue', () => {
  /** Makes the newest conversation one of a different folder. */
  function moveElsewhere(): void {
    const path = join(data.path, 'conversations', data.files()[0] ?? '');
    const text = readFileSync(path, 'utf8');
    writeFileSync(path, text.replace(/"folder":"(?:[^"\\]|\\.)*"/, '"folder":"/elsewhere"'));
  }

  test('starts a conversation if there is none, and says so', async () => {
    const { stderr } = await data.run(['-c', ...echo('one')]);
    expect(stderr).toBe('natter: there is no conversation yet; this starts one\n');
    expect((await data.run(['-c', ...echo('two')])).stderr).toBe('');
    expect(pathOf(data.only())).toHaveLength(4);
  });

  test('names the conversation of a different folder', async () => {
    await data.run(echo('one'));
    moveElsewhere();
    const { stderr } = await data.run(['-c', ...echo('two')]);
    const notice = 'continuing "[sandbox echo] one" (just now), which was started in /elsewhere';
    expect(stderr).toBe(`natter: ${notice}\n`);
    expect(pathOf(data.only())).toHaveLength(4);
  });

  test('stays in its folder with the setting', async () => {
    const options = { env: { NATTER_CONTINUE: 'folder' } };
    await data.run(echo('one'));
    moveElsewhere();
    const { stderr } = await data.run(['-c', ...echo('two')], options);
    expect(stderr).toContain('there is no conversation yet in this folder; this starts one');
    await data.run(['-c', ...echo('three')], options);
    expect(data.files()).toHaveLength(2);
  });
});

test('D11 with a file in place of the data folder the answer is still printed', async () => {
  rmSync(data.path, { recursive: true });
  writeFileSync(data.path, '');
  const { code, stdout, stderr } = await data.run(echo('hello'));
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'hello\n' });
  expect(stderr.match(/warning: .* natter goes on without saving/g)).toHaveLength(1);
});
