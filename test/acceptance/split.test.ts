import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runInMemory } from '../support/in-memory.ts';
import { serviceAt, startNatter } from '../support/natter.ts';
import { json, response, streamed } from '../support/raw-replies.ts';
import type { Reply } from '../support/raw-server.ts';
import { serve } from '../support/serve.ts';

const noRetries = { NATTER_RETRIES: '0' };
const answered: Reply = [streamed('part')];

/** A service whose model has a window of 800 tokens, as natter has learned. */
async function openPlace(replies: readonly Reply[]) {
  const server = await serve(replies);
  const state = mkdtempSync(join(tmpdir(), 'natter-split-'));
  mkdirSync(state, { recursive: true });
  writeFileSync(join(state, 'models.json'), JSON.stringify({ [server.url]: { origin: 800 } }));
  const env = serviceAt(server, { ...noRetries, NATTER_STATE_DIR: state });
  const run = (words: readonly string[], input = '') => runInMemory(words, { env, input });
  const prompts = () =>
    server.requests.map(({ body }) => {
      const { messages } = JSON.parse(body) as { messages: { content: string }[] };
      return messages.at(-1)?.content ?? '';
    });
  const start = (words: readonly string[], input: string) => startNatter(words, { env, input });
  const folder = join(state, 'split');
  const kept = () => (existsSync(folder) ? readdirSync(folder) : []);
  const modes = () => kept().map((name) => statSync(join(folder, name)).mode & 0o777);
  const answers = () =>
    kept()
      .map((name) => readFileSync(join(folder, name), 'utf8'))
      .join('');
  return { server, run, start, prompts, kept, modes, answers };
}

const lines = Array.from({ length: 200 }, (_, index) => `line ${index} ${'x'.repeat(40)}\n`).join(
  '',
);
const words = ['--split', 'lines', '--max-tokens', '50', 'count'];

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
  const { code, stdout, stderr } = await run(words, lines);
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'part\n' });
  expect(stderr).toMatch(/^natter: \d+ pieces, ~[\d,]+ tokens\n/);
  const pieces = prompts().slice(0, -1);
  expect(pieces.length).toBeGreaterThan(1);
  expect(textIn(pieces)).toBe(lines);
  expect(pieces[0]).toMatch(/^count\n\nThis is piece \d+ of \d+ of a longer text\./);
  expect(prompts().at(-1)).toMatch(
    /^count\n\nThe text was too long.+<file name="answer 1">\npart\n/s,
  );
  expect(server.requests).toHaveLength(pieces.length + 1);
  expect(kept()).toEqual([]);
});

test('the same command again sends only what is missing', async () => {
  const { server, run, kept } = await openPlace([answered, [response(400)], answered]);
  const first = await run(words, lines);
  expect(first.code).toBe(7);
  expect(first.stderr).toMatch(/natter: 1 of \d+ pieces failed; the first: the service rejected/);
  expect(first.stderr).toContain('run the same command again to send only what is missing');
  expect(kept()).toHaveLength(1);
  const sent = server.requests.length;
  const second = await run(words, lines);
  expect({ code: second.code, stdout: second.stdout }).toEqual({ code: 0, stdout: 'part\n' });
  expect(second.stderr).toMatch(/natter: continuing: \d+ answers are from an earlier run\n/);
  expect(server.requests).toHaveLength(sent + 2);
  expect(kept()).toEqual([]);
});

test('Ctrl+C keeps the answers that have arrived, and says how to continue', async () => {
  const { start, answers } = await openPlace([answered, []]);
  const stopped = start(words, lines);
  await expect.poll(answers).toContain('"part"');
  stopped.child.kill('SIGINT');
  const { signal, stderr } = await stopped.result;
  expect({ signal, stderr }).toEqual({
    signal: 'SIGINT',
    stderr: expect.stringMatching(
      /natter: 1 answer kept; run the same command again to send the rest\n$/,
    ) as string,
  });
});

test('only the owner can read the answers for pieces', async () => {
  const { run, modes } = await openPlace([answered, [response(400)]]);
  await run(words, lines);
  expect(modes()).toEqual([0o600]);
});

test('answers that do not fit in one request are combined in several steps', async () => {
  const long = [streamed('word '.repeat(120))];
  const { run, prompts } = await openPlace([long]);
  const { code } = await run(['--split', 'lines', '-q', 'count'], lines);
  expect(code).toBe(0);
  const combining = prompts().filter((prompt) => prompt.includes('The text was too long'));
  expect(combining.length).toBeGreaterThan(1);
});

test('--split auto sends a text that fits as it is', async () => {
  const { run, prompts } = await openPlace([answered]);
  const { code, stderr } = await run(['--split', 'auto', 'count'], 'short\n');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(prompts()).toEqual(['count\n\nshort\n']);
});

test('--split auto cuts a text that does not fit, at paragraphs', async () => {
  const { run, prompts } = await openPlace([answered]);
  const paragraphs = `${lines.slice(0, 400)}\n\n`.repeat(9);
  expect((await run(['--split', 'auto', '-t', '50', 'count'], paragraphs)).code).toBe(0);
  expect(textIn(prompts())).toBe(paragraphs);
  for (const [, text = ''] of prompts()
    .join('')
    .matchAll(/">\n(line[^]*?)<\/file>/g)) {
    expect(text).toMatch(/\n\n$/);
  }
});

test('pieces that the service finds too long are cut into smaller ones', async () => {
  const refusal = { error: { message: 'the prompt does not fit the context window' } };
  const refused: Reply = [json(400, refusal)];
  const { run, prompts, kept } = await openPlace([refused, answered]);
  const { code, stderr } = await run(words, lines);
  expect(code).toBe(0);
  expect(stderr).toMatch(/warning: the service counts more tokens than natter; cutting the text/);
  const [, total = ''] = /into (\d+) smaller pieces/.exec(stderr) ?? [];
  const smaller = prompts().filter((prompt) => prompt.includes(` of ${total} of a longer text`));
  expect(smaller).toHaveLength(Number(total));
  expect(textIn(smaller)).toBe(lines);
  expect(kept()).toEqual([]);
});

test('--dry-run prints the number of requests and tokens, and sends nothing', async () => {
  const { server, run } = await openPlace([answered]);
  const { code, stdout } = await run([...words, '--dry-run'], lines);
  expect(code).toBe(0);
  const plan = JSON.parse(stdout) as { pieces: number; requests: object; texts: object[] };
  expect(plan.pieces).toBeGreaterThan(1);
  expect(plan.requests).toEqual({ pieces: plan.pieces, combine: 1, total: plan.pieces + 1 });
  expect(plan.texts).toHaveLength(plan.pieces);
  expect(plan).toMatchObject({
    tokens: { pieces: expect.any(Number), combine: expect.any(Number) },
  });
  expect(server.requests).toEqual([]);
});

test('--json has the answers for the pieces', async () => {
  const { run, prompts } = await openPlace([answered]);
  const { stdout } = await run([...words, '--json'], lines);
  const { content, pieces } = JSON.parse(stdout) as { content: string; pieces: object[] };
  expect(content).toBe('part');
  expect(pieces).toHaveLength(prompts().length - 1);
  expect(pieces[0]).toMatchObject({
    piece: 1,
    names: [expect.stringMatching(/^stdin \(part 1 of \d+\)$/)],
    content: 'part',
  });
});

test('a budget that the pieces exceed ends the run, and keeps their answers', async () => {
  const { server, run, kept } = await openPlace([answered]);
  const { code, stdout, stderr } = await run(['--budget', '1500/day', ...words], lines);
  expect({ code, stdout }).toEqual({ code: 15, stdout: '' });
  expect(stderr).toContain('natter: the daily budget (1,500 tokens) would be exceeded: ');
  expect(server.requests.length).toBeGreaterThan(0);
  expect(kept()).toHaveLength(1);
  expect(await run(words, lines)).toMatchObject({ code: 0, stdout: 'part\n' });
});

test('with --no-save nothing is kept for a later run', async () => {
  const { run, kept } = await openPlace([answered, [response(400)], answered]);
  expect((await run([...words, '--no-save'], lines)).code).toBe(7);
  expect(kept()).toEqual([]);
});

test('a line that is longer than a piece is cut, and reported', async () => {
  const { run } = await openPlace([answered]);
  const { code, stderr } = await run(words, 'x'.repeat(9000));
  expect(code).toBe(0);
  expect(stderr).toContain('natter: lines longer than a piece were cut between characters: 1\n');
});

test.each([
  ['without a prompt', ['--split', 'auto'], '--split needs a prompt'],
  ['without a text', ['--split', 'auto', '--no-stdin', 'x'], '--split needs a text'],
  [
    'with {{stdin}}',
    ['--split', 'auto', 'x {{stdin}}'],
    '--split puts the pieces after the prompt',
  ],
  ['with -c', ['--split', 'auto', '-c', 'x'], '--split and --continue cannot be used together'],
  ['with --every', ['--split', 'auto', '--every', '2l', 'x'], 'cannot be used together'],
  ['with a different border', ['--split', 'words', 'x'], "argument 'words' is invalid"],
])('--split %s is refused', async (_name, more, message) => {
  const { code, stderr } = await runInMemory(['--sandbox', ...more], { input: 'text' });
  expect(code).toBe(2);
  expect(stderr).toContain(message);
});
