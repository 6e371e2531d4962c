import { once } from 'node:events';
import { createServer } from 'node:net';
import { existsSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { folderOf } from '../../support/folder.ts';
import { expectFailure, runInMemory } from '../../support/in-memory.ts';
import { jsonLines, serviceAt, startNatter } from '../../support/natter.ts';
import { json, response, streamed } from '../../support/raw-replies.ts';
import type { Reply } from '../../support/raw-server.ts';
import { runOn, serve } from '../../support/serve.ts';

const noRetries = { NATTER_RETRIES: '0' };

const answered: Reply = [streamed('part')];

/** A service whose model has a window of 800 tokens, as natter has learned. */
async function openPlace(replies: readonly Reply[]) {
  const server = await serve(replies);
  const state = folderOf({ 'models.json': JSON.stringify({ [server.url]: { origin: 800 } }) });
  const env = serviceAt(server, { ...noRetries, NATTER_STATE_DIR: state });
  const run = (words: readonly string[], input = '') => runInMemory(words, { env, input });
  const prompts = () => server.bodies().map(({ messages }) => messages.at(-1)?.content ?? '');
  const start = (words: readonly string[], input: string) => startNatter(words, { env, input });
  const folder = join(state, 'split');
  const kept = () => (existsSync(folder) ? readdirSync(folder) : []);
  const modes = () => kept().map((name) => statSync(join(folder, name)).mode & 0o777);
  const answers = () =>
    kept()
      .map((name) => readFileSync(join(folder, name), 'utf8'))
      .join('');
  const windows = () => {
    const learned = JSON.parse(readFileSync(join(state, 'models.json'), 'utf8')) as object;
    return Object.values(learned)[0] as Record<string, number>;
  };
  return { server, run, start, prompts, kept, modes, answers, windows };
}

const lineOf = (index: number) => `line ${index} ${'x'.repeat(40)}\n`;
const longText = Array.from({ length: 200 }, (_, index) => lineOf(index)).join('');

const splitWords = ['--split', 'lines', '--max-tokens', '50', 'count'];

/** The texts of the pieces in prompts, in order. */
const textIn = (prompts: readonly string[]) =>
  prompts
    .map((prompt) => /\(part (\d+) of \d+\)">\n([^]*)<\/file>/.exec(prompt))
    .filter((match) => match !== null)
    .toSorted(([, left], [, right]) => Number(left) - Number(right))
    .map(([, , text]) => text)
    .join('');

test('--split sends a text in pieces, drops nothing, and combines the answers', async () => {
  const { server, run, prompts, kept } = await openPlace([answered]);
  const { code, stdout, stderr } = await run(splitWords, longText);
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'part\n' });
  expect(stderr).toMatch(/^natter: \d+ pieces, ~[\d,]+ tokens\n/);
  const pieces = prompts().slice(0, -1);
  expect(pieces.length).toBeGreaterThan(1);
  expect(textIn(pieces)).toBe(longText);
  expect(pieces[0]).toMatch(/^count\n\nThis is piece \d+ of \d+ of a longer text\./);
  expect(prompts().at(-1)).toMatch(/^count\n\nThe text was too.+<file name="answer 1">\npart\n/s);
  expect(server.requests).toHaveLength(pieces.length + 1);
  expect(kept()).toEqual([]);
});

test('the same command again sends only what is missing', async () => {
  const { server, run, kept, modes } = await openPlace([answered, [response(400)], answered]);
  const first = await run(splitWords, longText);
  expect(modes()).toEqual([0o600]);
  expect(first.code).toBe(7);
  expect(first.stderr).toMatch(/natter: 1 of \d+ pieces failed; the first: the service rejected/);
  expect(first.stderr).toContain('run the same command again to send only what is missing');
  expect(kept()).toHaveLength(1);
  const sent = server.requests.length;
  const second = await run(splitWords, longText);
  expect({ code: second.code, stdout: second.stdout }).toEqual({ code: 0, stdout: 'part\n' });
  expect(second.stderr).toMatch(/natter: continuing: \d+ answers are from an earlier run\n/);
  expect(server.requests).toHaveLength(sent + 2);
  expect(kept()).toEqual([]);
});

test('Ctrl+C keeps the answers that have arrived, and says how to continue', async () => {
  const { start, answers } = await openPlace([answered, []]);
  const stopped = start(splitWords, longText);
  await expect.poll(answers).toContain('"part"');
  stopped.child.kill('SIGINT');
  const { signal, stderr } = await stopped.result;
  expect(signal).toBe('SIGINT');
  expect(stderr).toContain('natter: 1 answer kept; run the same command again to send the rest\n');
});

test('answers that do not fit in one request are combined in several steps', async () => {
  const long = [streamed('word '.repeat(120))];
  const { run, prompts } = await openPlace([long]);
  expect((await run(['--split', 'lines', '-q', 'count'], longText)).code).toBe(0);
  const combining = prompts().filter((prompt) => prompt.includes('The text was too long'));
  expect(combining.length).toBeGreaterThan(1);
});

test('--split auto sends a text that fits as it is', async () => {
  const { run, prompts } = await openPlace([answered]);
  expect(await run(['--split', 'auto', 'count'], 'short\n')).toMatchObject({ code: 0, stderr: '' });
  expect(prompts()).toEqual(['count\n\nshort\n']);
});

test('--split auto cuts a text that does not fit, at paragraphs', async () => {
  const { run, prompts } = await openPlace([answered]);
  const paragraphs = `${longText.slice(0, 400)}\n\n`.repeat(9);
  expect((await run(['--split', 'auto', '-t', '50', 'count'], paragraphs)).code).toBe(0);
  expect(textIn(prompts())).toBe(paragraphs);
  const all = prompts().join('');
  for (const [, text] of all.matchAll(/">\n(line[^]*?)<\/file>/g)) expect(text).toMatch(/\n\n$/);
});

describe('N1: --split auto cuts a text that fits by estimate after a refusal for length', () => {
  const refuse = (error: object): Reply => [json(400, { error })];
  const words = ['--split', 'auto', '-m', 'other', '--max-tokens', '50', 'count'];

  test.each([
    ['with a limit', { message: "This model's maximum context length is 1500 tokens" }, 1500],
    ['with n_ctx', { message: 'the request exceeds the context size', n_ctx: 1500 }, 1500],
    ['without a number', { message: 'the prompt is too long' }, undefined],
  ])('%s', async (_name, error, window) => {
    const { run, prompts, answers, windows } = await openPlace([refuse(error), answered]);
    const { code, stdout, stderr } = await run([...words, '--json'], longText);
    expect(code).toBe(0);
    expect(jsonLines(stdout)).toMatchObject([{ content: 'part' }]);
    expect(stderr).toMatch(/the text is too long for the service; cutting it into \d+ smaller/);
    expect(prompts()[0]).toBe(`count\n\n${longText}`);
    expect(textIn(prompts())).toBe(longText);
    expect(windows()['other']).toBe(window);
    expect(answers()).toBe('');
  });

  test('and ends when it is refused at any length', async () => {
    const { server, run } = await openPlace([refuse({ message: 'the prompt is too long' })]);
    expectFailure(await run(words, longText), 7, 'the prompt is too long');
    expect(server.requests.length).toBeLessThan(60);
  });

  test('and prints the refusal as data if the text is too short to cut', async () => {
    const { server, run } = await openPlace([refuse({ message: 'the prompt is too long' })]);
    const { code, stdout } = await run([...words, '--json'], 'short\n');
    expect(code).toBe(7);
    expect(JSON.parse(stdout)).toMatchObject({ error: { kind: 'invalid_request' } });
    expect(server.requests).toHaveLength(1);
  });
});

test('--dry-run prints the number of requests and tokens, and sends nothing', async () => {
  const { server, run } = await openPlace([answered]);
  const { code, stdout } = await run([...splitWords, '--dry-run'], longText);
  expect(code).toBe(0);
  const plan = JSON.parse(stdout) as { pieces: number; requests: object; texts: object[] };
  expect(plan.pieces).toBeGreaterThan(1);
  expect(plan.requests).toEqual({ pieces: plan.pieces, combine: 1, total: plan.pieces + 1 });
  expect(plan.texts).toHaveLength(plan.pieces);
  const some = expect.any(Number) as number;
  expect(plan).toMatchObject({ tokens: { pieces: some, combine: some } });
  expect(server.requests).toEqual([]);
});

test('--json has the answers for the pieces', async () => {
  const { run, prompts } = await openPlace([answered]);
  const { stdout } = await run([...splitWords, '--json'], longText);
  const { content, pieces } = JSON.parse(stdout) as { content: string; pieces: object[] };
  expect(content).toBe('part');
  expect(pieces).toHaveLength(prompts().length - 1);
  const names = [expect.stringMatching(/^stdin \(part 1 of \d+\)$/)];
  expect(pieces[0]).toMatchObject({ piece: 1, names, content: 'part' });
});

test('a budget that the pieces exceed ends the run, and keeps their answers', async () => {
  const { server, run, kept } = await openPlace([answered]);
  const result = await run(['--budget', '1500/day', ...splitWords], longText);
  expectFailure(result, 15, 'natter: the daily budget (1,500 tokens) would be exceeded: ');
  expect(server.requests.length).toBeGreaterThan(0);
  expect(kept()).toHaveLength(1);
  expect(await run(splitWords, longText)).toMatchObject({ code: 0, stdout: 'part\n' });
});

test('with --no-save nothing is kept for a later run', async () => {
  const { run, kept } = await openPlace([answered, [response(400)], answered]);
  expect((await run([...splitWords, '--no-save'], longText)).code).toBe(7);
  expect(kept()).toEqual([]);
});

test('a line that is longer than a piece is cut, and reported', async () => {
  const { run } = await openPlace([answered]);
  const { code, stderr } = await run(splitWords, 'x'.repeat(9000));
  expect(code).toBe(0);
  expect(stderr).toContain('natter: lines longer than a piece were cut between characters: 1\n');
});

test.each([
  [['--split', 'auto'], '--split needs a prompt'],
  [['--split', 'auto', '--no-stdin', 'x'], '--split needs a text'],
  [['--split', 'auto', 'x {{stdin}}'], '--split puts the pieces after the prompt'],
  [['--split', 'auto', '-c', 'x'], "'--split <border>' cannot be used with option '-c"],
  [['--split', 'auto', '--every', '2l', 'x'], 'cannot be used with'],
  [['--split', 'words', 'x'], "argument 'words' is invalid"],
  [['--every', '2l', '--jsonl', 'x'], "'--every <sizes>' cannot be used with option '--jsonl'"],
  [['--every', '2l', '-c', 'x'], 'each group is a new prompt, and is not saved'],
  [['--every', '2l', '--dry-run', 'x'], "cannot be used with option '--dry-run'"],
  [['--every', '2l', '--save', 'x'], '--every and --save cannot be used together'],
  [['--resume', 'a', '-c', 'x'], '--continue means --resume latest'],
  [['--every', '200', 'x'], '--every must be lines, a time or a size'],
  [['--every', '2l', '--no-stdin', 'x'], '--every needs standard input that is piped in'],
])('%j is refused', async (words, problem) => {
  expectFailure(await runInMemory(['--sandbox', ...words], { input: 'text' }), 2, problem);
});

const echoAsk = '[sandbox echo]ask';

const fiveLines = 'a\nb\nc\nd\ne\n';

test('--every answers each group under its lines', async () => {
  const words = ['--sandbox', '--every', '2l', echoAsk];
  expect(await runInMemory(words, { input: fiveLines })).toMatchObject({
    code: 0,
    stdout:
      '==> lines 1-2 <==\nask\n\na\nb\n\n==> lines 3-4 <==\nask\n\nc\nd\n\n==> line 5 <==\nask\n\ne\n',
    stderr: '',
  });
});

test('--every --json prints a line for each group, which replaces {{stdin}}', async () => {
  const words = ['--sandbox', '--json', '--every', '3l', '[sandbox echo]<{{stdin}}>'];
  const { code, stdout } = await runInMemory(words, { input: fiveLines });
  expect(code).toBe(0);
  expect(jsonLines(stdout)).toMatchObject([
    { first_line: 1, last_line: 3, model: 'origin', content: '<a\nb\nc\n>' },
    { first_line: 4, last_line: 5, model: 'origin', content: '<d\ne\n>' },
  ]);
});

test('a group that fails is reported, the next one is answered, and the exit code is that of the cause', async () => {
  const replies = [[streamed('one')], [response(500)], [streamed('three')]];
  const options = { env: noRetries, input: '1\n2\n3\n' };
  const { code, stdout, stderr } = await runOn(replies, ['--every', '1l', 'x'], options);
  expect(code).toBe(9);
  expect(stdout).toBe('==> line 1 <==\none\n\n==> line 2 <==\n\n==> line 3 <==\nthree\n');
  expect(stderr).toContain('natter: warning: line 2: the service failed (500)\n');
  expect(stderr).toContain('natter: 1 of 3 groups failed; the first: the service failed (500)\n');
});

test('--every keeps secrets from a different machine, and --redact puts them back', async () => {
  const secret = ['token = "gh', 'p_aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5"'].join('');
  const env = { NATTER_BASE_URL: 'https://service.test', NATTER_API_KEY: 'test-key' };
  const words = ['--every', '1l', '--no-input', 'x'];
  const refused = await runInMemory(words, { env, input: `\n${secret}\n` });
  expect(refused.stdout).toContain('==> line 2 <==\n');
  expect(refused.stderr).toContain(
    'natter: warning: line 2: standard input line 2 has a GitHub token, so it was not sent',
  );
  const redacted = ['--sandbox', '--redact', '-q', '--every', '1l', echoAsk];
  const { stdout } = await runInMemory(redacted, { input: `${secret}\n` });
  expect(stdout).toContain(secret);
});

test('--every with -f and empty input names standard input and an example', async () => {
  const words = ['--sandbox', '--every', '2l', '-f', 'package.json', 'x'];
  const { code, stderr } = await runInMemory(words, { input: '' });
  expect(code).toBe(0);
  expect(stderr).toMatch(/--every reads standard input, not -f, and it was empty; .+ tail -f app/);
});

test('input that is faster than the answers is held back, and reported once', async () => {
  const options = { input: '\n'.repeat(20) };
  const replies = [[50, streamed('ok')]];
  const { stdout, stderr } = await runOn(replies, ['--every', '1l', 'x'], options);
  expect(stdout.match(/==> line /g)).toHaveLength(20);
  expect(stderr).toMatch(
    /^natter: input arrives faster than answers; reading is paused \(8 groups with [89] lines wait\)\n$/,
  );
});

/** The names of the attached files, in order, and what standard error has. */
async function attached(cwd: string, names: readonly string[], more: readonly string[] = []) {
  const files = names.flatMap((name) => ['-f', name]);
  const words = ['--sandbox', ...files, ...more, '[sandbox echo]ask'];
  const { code, stdout, stderr } = await runInMemory(words, { cwd });
  const found = [...stdout.matchAll(/<file name="(.+?)">/g)].map(([, name]) => name);
  return { code, names: found, stderr };
}

const rules = { '.gitignore': 'build/\n*.log\n', 'src/.gitignore': '!keep.log\n/only-here.ts\n' };
const ownNames =
  '.git/HEAD src/a.ts src/only-here.ts src/deep/only-here.ts src/drop.log src/keep.log src/build/o.ts build/o.ts';
const repository = {
  ...Object.fromEntries(ownNames.split(' ').map((name) => [name, 'text'])),
  ...rules,
};

const unignored = ['src/a.ts', 'src/deep/only-here.ts', 'src/keep.log'];

const hidden = { '.env': 'SECRET=1', '.github/ci.yml': 'ci', 'a.ts': 'A' };

describe('-f with a folder', () => {
  test.each([
    [
      'files are in the order of their names',
      'a/',
      { 'a/b': '', 'a/a/z': '', c: '' },
      ['a/a/z', 'a/b'],
    ],
    ['what .gitignore files exclude is left out', '.', repository, unignored],
    ['the rules of the repository apply below a subfolder', 'src', repository, unignored],
    ['an excluded folder is attached if it is named', 'build', repository, ['build/o.ts']],
    ['hidden files and folders are left out', '.', hidden, ['a.ts']],
    ['a hidden folder is attached if it is named', '.github', hidden, ['.github/ci.yml']],
  ])('%s', async (_title, name, files, names) => {
    expect(await attached(folderOf(files), [name])).toMatchObject({ code: 0, names });
  });

  test('counts binary files, files in a different encoding and links', async () => {
    const latin = Buffer.from('caf\u00e9', 'latin1');
    const cwd = folderOf({ 'a.txt': 'A', 'b.png': 'a\0b', 'c.png': '\0', 'd.txt': latin });
    symlinkSync('/etc/hostname', join(cwd, 'link'));
    const { names, stderr } = await attached(cwd, ['.']);
    expect(names).toEqual(['a.txt']);
    expect(stderr).toBe(
      'natter: attached .: 1 file, ~1 token; skipped 2 binary files, 1 file in a different encoding (d.txt), 1 link\n',
    );
    const lossy = await attached(cwd, ['.'], ['--lossy', '-q']);
    expect(lossy).toMatchObject({ names: ['a.txt', 'd.txt'], stderr: '' });
  });

  // A socket exists, and reading it fails for every user.
  test.skipIf(process.platform === 'win32')('that cannot be read is refused', async () => {
    const cwd = folderOf({ 'a/b.ts': 'B' });
    const server = createServer().listen(join(cwd, 'a/.gitignore'));
    await once(server, 'listening');
    const { code, stderr } = await attached(cwd, ['a']);
    server.close();
    expect(code).toBe(2);
    expect(stderr).toMatch(/^natter: cannot attach a: \w/);
  });

  test('without text files is refused', async () => {
    expect(await attached(folderOf({ 'a/b.png': '\0' }), ['a'])).toMatchObject({
      code: 2,
      stderr:
        'natter: cannot attach a: no text files found\n  a: 0 files, ~0 tokens; skipped 1 binary file\n',
    });
  });
});

describe('-f with a pattern', () => {
  const listed = 'a.ts b.md src/c.ts src/deep/d.ts src/.hidden.ts node_modules/e.ts [x].ts';
  const files = listed.split(' ').map((name) => [name, 'text']);
  const cwd = folderOf({ ...Object.fromEntries(files), '.gitignore': 'node_modules\n' });

  test.each([
    ['*.ts', ['[x].ts', 'a.ts']],
    ['./*.md', ['b.md']],
    ['src/**/*.ts', ['src/c.ts', 'src/deep/d.ts']],
    ['**/*.ts', ['[x].ts', 'a.ts', 'src/c.ts', 'src/deep/d.ts']],
    ['{a,b}.*', ['a.ts', 'b.md']],
    ['src/?.ts', ['src/c.ts']],
    ['src/.*.ts', ['src/.hidden.ts']],
    ['[x].ts', ['[x].ts']],
    [join(cwd, 'src/*.ts'), [join(cwd, 'src/c.ts')]],
  ])('%s attaches the files that match', async (pattern, names) => {
    expect(await attached(cwd, [pattern])).toMatchObject({ code: 0, names });
  });

  test('that matches nothing is refused', async () => {
    expect(await attached(cwd, ['*.rs'])).toMatchObject({
      code: 2,
      stderr:
        'natter: cannot attach *.rs: no text files found\n' +
        '  hidden files, and files that .gitignore excludes, are attached only by their own names\n',
    });
  });
});
