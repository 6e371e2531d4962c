import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { rule } from '../../sandbox/sandbox-helpers.ts';
import {
  expectComplete,
  openBatchPlace,
  openFiles,
  openPrompts,
  parseResults,
  promptLines,
} from '../../support/batch.ts';
import { expectFailure } from '../../support/in-memory.ts';
import { jsonLines } from '../../support/natter.ts';

/** No service listens there, so answers must be from a recording. */
const noService = { env: { NATTER_BASE_URL: 'http://127.0.0.1:1' } };

const replay = ['--replay', 'tape.jsonl', '--speed', 'max'];

describe('natter batch and recordings', () => {
  test('a batch is answered from its recording, retries included', async () => {
    const place = await openPrompts(9, [rule('429 retry-after=0 every=4')]);
    const recorded = await place.run(['p.txt', '--record', 'tape.jsonl']);
    const asked = place.asked.length;
    const replayed = await place.run(['p.txt', ...replay], noService);
    expect(replayed.code).toBe(0);
    const figures = (text: string) =>
      parseResults(text).map(({ content, attempts }) => ({ content, attempts }));
    expect(figures(replayed.stdout)).toEqual(figures(recorded.stdout));
    expect(asked).toBeGreaterThan(9);
    expect(place.asked).toHaveLength(asked);
  });

  test('an item missing from the recording does not affect the others', async () => {
    const place = await openPrompts(6);
    await place.run(['p.txt', '--record', 'tape.jsonl', '-o', 'first.jsonl']);
    place.write('more.txt', `another\n${promptLines(6)}`);
    const words = ['more.txt', '--concurrency', '1', '-o', 'second.jsonl'];
    const result = await place.run([...words, ...replay], noService);
    expectFailure(result, 3, /6 of 7 items answered .*; 1 failed: 1 configuration/);
    const [missing] = place.results('second.jsonl');
    expect(missing?.error?.message).toContain('tape.jsonl has no answer');
  });
});

test.each([
  ['the input', ['p.txt', '-o', './p.txt'], './p.txt is the input'],
  ['a second name of the input', ['p.txt', '-o', 'same.txt'], 'same.txt is the input'],
  ['the recording', ['p.txt', '-o', 'a.jsonl', '--record', './a.jsonl'], 'is the recording'],
])('the results file may not be %s', async (_, words, message) => {
  const place = await openPrompts(2);
  symlinkSync('p.txt', join(place.folder, 'same.txt'));
  expectFailure(await place.run(words), 2, message);
  expect(place.read('p.txt')).toBe(promptLines(2));
  expect(place.has('a.jsonl')).toBe(false);
  expect(place.asked).toEqual([]);
});

interface Line {
  readonly index: number;
  readonly id: string | null;
  readonly request?: { readonly body: object; readonly headers: Readonly<Record<string, string>> };
  readonly estimate?: { readonly tokens: number };
  readonly error?: { readonly kind: string };
}

const parse = (text: string) => jsonLines(text) as readonly Line[];

describe('natter batch --dry-run', () => {
  test('prints the requests, and sends nothing', async () => {
    const place = await openFiles({
      'p.jsonl': '{"id":"a","prompt":"one"}\n{"prompt":"two","max_tokens":7}\n',
    });
    const words = ['p.jsonl', '-s', 'brief', '--concurrency', '1'];
    const dry = await place.run([...words, '--dry-run']);
    expect(dry.code).toBe(0);
    expect(dry.stderr).toMatch(/^natter: 2 of 2 items would be sent, ~\d+ tokens\n$/);
    expect(place.bodies).toEqual([]);
    const lines = parse(dry.stdout);
    expect(lines).toMatchObject([
      { index: 1, line: 1, id: 'a', request: { method: 'POST' }, estimate: { window: 128_000 } },
      { index: 2, line: 2, id: null, estimate: { tokens: expect.any(Number) as number } },
    ]);
    expect(lines[0]?.request?.headers['authorization']).toBe('Bearer …');
    await place.run(words);
    expect(place.bodies).toEqual(lines.map(({ request }) => request?.body));
  });

  test('omits answered items, and does not change the results file', async () => {
    const place = await openPrompts(2);
    await place.run(['p.txt', '-o', 'out.jsonl']);
    const torn = `${place.read('out.jsonl')}{"index":3,`;
    place.write('out.jsonl', torn);
    place.write('p.txt', promptLines(3));
    const { stdout, stderr } = await place.run(['p.txt', '-o', 'out.jsonl', '--dry-run']);
    expect(parse(stdout).map(({ index }) => index)).toEqual([3]);
    expect(stderr).toContain('1 of 3 items would be sent (2 already answered)');
    expect(place.read('out.jsonl')).toBe(torn);
    await place.run(['p.txt', '-o', 'new.jsonl', '--dry-run']);
    expect(place.has('new.jsonl')).toBe(false);
  });

  test('reports an invalid item, and exits with the code of its cause', async () => {
    const place = await openFiles({ 'p.jsonl': '{"prompt":"one"}\noops\n' });
    const { code, stdout, stderr } = await place.run(['p.jsonl', '--dry-run']);
    expect(code).toBe(2);
    expect(parse(stdout)[1]).toMatchObject({ index: 2, error: { kind: 'usage' } });
    expect(stderr).toContain('natter: 1 of 2 items would be sent, ~5 tokens; 1 cannot be sent\n');
  });
});

test('X12: parameters of an item override those of the command line', async () => {
  const place = await openBatchPlace();
  const lines = [
    { prompt: 'one', temperature: 0.2, params: { mirostat: 2 } },
    { prompt: 'two', max_tokens: 5 },
    { prompt: 'three', temprature: 1 },
  ];
  place.write('p.jsonl', lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const { code, stdout } = await place.run(['p.jsonl', '--dry-run', '--param', 'temperature=1']);
  expect(code).toBe(2);
  expect(jsonLines(stdout)).toMatchObject([
    { request: { body: { temperature: 0.2, mirostat: 2 } } },
    { request: { body: { temperature: 1, max_tokens: 5 } } },
    {
      error: {
        message: expect.stringContaining('line 3 of the input has the unknown field "temprature"'),
      },
    },
  ]);
});

describe('natter batch --limit', () => {
  test('sends only the first items; without it, the others follow', async () => {
    const place = await openPrompts(5);
    const { code, stderr } = await place.run(['p.txt', '-o', 'out.jsonl', '--limit', '2']);
    expect(code).toBe(0);
    expect(stderr).toContain('2 of 2 items answered');
    expect(place.asked.toSorted()).toEqual(['prompt 1', 'prompt 2']);
    await place.run(['p.txt', '-o', 'out.jsonl']);
    expect(place.results('out.jsonl')).toHaveLength(5);
    expect(place.asked).toHaveLength(5);
  });

  test('is divided among shards', async () => {
    const place = await openPrompts(9);
    await place.run(['p.txt', '--limit', '4', '--shard', '2/2']);
    expect(place.asked.toSorted()).toEqual(['prompt 2', 'prompt 4']);
  });
});

describe('natter batch --sample', () => {
  test('sends the same random items each time, so that a run resumes', async () => {
    const place = await openPrompts(50, [rule('500 times=1')]);
    const words = ['p.txt', '-o', 'out.jsonl', '--sample', '6', '--retries', '0'];
    expect((await place.run(words)).code).toBe(75);
    const { code, stderr } = await place.run(words);
    expect(code).toBe(0);
    expect(stderr).toContain('6 of 6 items answered (5 before)');
    expect(new Set(place.asked).size).toBe(6);
    expect(place.results('out.jsonl')).toHaveLength(6);
  });

  test('is a different one with --seed', async () => {
    const place = await openPrompts(50);
    const first = await place.run(['p.txt', '--sample', '6']);
    const second = await place.run(['p.txt', '--sample', '6', '--seed', '1']);
    expect(parseResults(first.stdout)).toHaveLength(6);
    expect(parseResults(second.stdout).map(({ index }) => index)).not.toEqual(
      parseResults(first.stdout).map(({ index }) => index),
    );
  });

  test('of a pipe reads all of it before anything is sent', async () => {
    const place = await openBatchPlace();
    const words = ['-', '--sample', '2', '-o', 'out.jsonl'];
    const { code, stderr } = await place.run(words, { input: promptLines(50) });
    expect({ code, asked: place.asked.length }).toEqual({ code: 0, asked: 2 });
    expect(stderr).toContain('2 of 2 items answered');
  });
});

describe('natter batch --rerun-failed', () => {
  test('sends failed items again in the same run', async () => {
    const place = await openPrompts(4, [rule('500 times=2')]);
    const words = ['p.txt', '-o', 'out.jsonl', '--retries', '0', '--rerun-failed', '3'];
    const { code, stderr } = await place.run(words);
    expect(code).toBe(0);
    expect(stderr).toContain('natter: sending 2 failed items again (1 of 3)\n');
    expect(stderr).toContain('4 of 4 items answered');
    expect(stderr).not.toContain('(2 of 3)');
    expect(place.results('out.jsonl').every(({ error }) => error === undefined)).toBe(true);
  });

  test('ends after the last round, with the failures that are left', async () => {
    const place = await openPrompts(2, [rule('400')]);
    const words = ['p.txt', '-o', 'out.jsonl', '--rerun-failed', '2'];
    const result = await place.run(words);
    expectFailure(result, 7, '0 of 2 items answered', '2 failed: 2 invalid_request');
    expect(place.asked).toHaveLength(6);
  });

  test('does not repeat a round for invalid lines', async () => {
    const place = await openFiles({ 'p.jsonl': '{"prompt":"a"}\noops\n' });
    const { code, stderr } = await place.run(['p.jsonl', '-o', 'out.jsonl', '--rerun-failed', '2']);
    expect(code).toBe(2);
    expect(stderr).not.toContain('again (1 of');
  });

  test.each([
    [['p.txt', '--rerun-failed', '1']],
    [['-', '-o', 'out.jsonl', '--rerun-failed', '1']],
  ])('needs a results file and an input file: %j', async (words) => {
    const place = await openFiles({ 'p.txt': 'one\n' });
    const result = await place.run(words, { input: 'one\n' });
    expectFailure(result, 2, '--rerun-failed needs -o FILE and a named input file');
    expect(place.asked).toEqual([]);
  });
});

describe('items that all fail alike', () => {
  const words = ['p.txt', '-o', 'out.jsonl', '--concurrency', '1'];

  test('stop the run at the tenth, unless --keep-going is given', async () => {
    const place = await openPrompts(15, [rule('400')]);
    const { code, stderr } = await place.run(words);
    expect(code).toBe(7);
    expect(place.asked).toHaveLength(10);
    expect(stderr).toContain('stopped because further items would fail too: the service rejected');
    expect(stderr).toContain('or send them all with --keep-going');
    expect((await place.run([...words, '--keep-going'])).code).toBe(7);
    expect(place.asked).toHaveLength(25);
  });

  test('do not stop a run that has answers, also of an earlier run', async () => {
    const place = await openBatchPlace();
    const refused = Array.from({ length: 12 }, () => '[sandbox 400] x\n').join('');
    place.write('p.txt', `fine\n${refused}`);
    await place.run(words);
    expect(place.asked).toHaveLength(13);
    await place.run(words);
    expect(place.asked).toHaveLength(25);
  });
});

describe('the same command again', () => {
  test('sends only failed items, and puts their answers in the right positions', async () => {
    const place = await openPrompts(3, [rule('500 times=1', { prompt: 'prompt 2' })]);
    const words = ['p.txt', '-o', 'out.jsonl', '--retries', '0'];
    const first = await place.run(words);
    expect(first.code).toBe(75);
    expect(place.results('out.jsonl')[1]?.error?.kind).toBe('server_error');
    place.asked.length = 0;
    const second = await place.run(words);
    expect(second).toMatchObject({ code: 0, stdout: '' });
    expect(second.stderr).toContain('3 of 3 items answered (2 before)');
    expect(place.asked).toEqual(['prompt 2']);
    expectComplete(place, 'out.jsonl', 3);
  });

  test('points out the answers that --model does not ask for again', async () => {
    const place = await openPrompts(3, [rule('500 times=1', { prompt: 'prompt 2' })]);
    const words = ['p.txt', '-o', 'out.jsonl', '--retries', '0'];
    await place.run(words);
    const other = await place.run([...words, '-m', 'nextgen']);
    expect(other.stderr).toContain(
      'natter: kept 2 answers in out.jsonl, of whatever model; a different -o file asks again\n',
    );
    expect(place.results('out.jsonl').map(({ model }) => model)).toEqual([
      'origin',
      'nextgen',
      'origin',
    ]);
  });

  test('sends nothing if all items are answered', async () => {
    const place = await openPrompts(3);
    await place.run(['p.txt', '-o', 'out.jsonl']);
    const before = place.read('out.jsonl');
    place.asked.length = 0;
    const { code, stderr } = await place.run(['p.txt', '-o', 'out.jsonl']);
    expect(code).toBe(0);
    expect(place.asked).toEqual([]);
    expect(place.read('out.jsonl')).toBe(before);
    expect(stderr).toContain('natter: nothing was sent; a different -o file asks again\n');
  });

  test('refuses answers of the sandbox for a service on a different machine', async () => {
    const place = await openPrompts(2);
    const env = { NATTER_BASE_URL: 'https://service.invalid/v1' };
    const words = ['p.txt', '-o', 'out.jsonl'];
    const sandboxed = [...words, '--sandbox'];
    expect((await place.run(sandboxed, { env })).code).toBe(0);
    expect((await place.run(sandboxed, { env })).code).toBe(0);
    const result = await place.run(words, { env });
    expectFailure(result, 2, 'out.jsonl has the answer of the sandbox to item 1');
  });

  test('sends items added to the input', async () => {
    const place = await openPrompts(3);
    await place.run(['p.txt', '-o', 'out.jsonl']);
    place.write('p.txt', promptLines(5));
    place.asked.length = 0;
    await place.run(['p.txt', '-o', 'out.jsonl']);
    expect(place.asked).toHaveLength(2);
    expectComplete(place, 'out.jsonl', 5);
  });

  test('sends a corrected line', async () => {
    const place = await openFiles({ 'p.jsonl': '{"prompt":"prompt 1"}\noops\n' });
    await place.run(['p.jsonl', '-o', 'out.jsonl']);
    place.write('p.jsonl', '{"prompt":"prompt 1"}\n{"prompt":"prompt 2"}\n');
    expect((await place.run(['p.jsonl', '-o', 'out.jsonl'])).code).toBe(0);
    expectComplete(place, 'out.jsonl', 2);
  });

  test.each([
    ['a different prompt', 'other\n', []],
    ['a prompt that cannot be sent', promptLines(3).replace(' 1', '\0'), []],
    ['a shorter input', promptLines(2), []],
    ['a different system prompt', promptLines(3), ['-s', 'be brief']],
  ])('is refused with %s, before anything is sent', async (_, text, more) => {
    const place = await openPrompts(3);
    await place.run(['p.txt', '-o', 'out.jsonl']);
    const before = place.read('out.jsonl');
    place.write('p.txt', text);
    place.asked.length = 0;
    const result = await place.run(['p.txt', '-o', 'out.jsonl', ...more]);
    expectFailure(result, 2, /a different prompt|has a result for item 3/);
    expect(place.asked).toEqual([]);
    expect(place.read('out.jsonl')).toBe(before);
  });
});

describe('shards', () => {
  test('Y24: are merged into the complete results, also if a pattern names them', async () => {
    const place = await openPrompts(11);
    for (const shard of [1, 2, 3]) {
      await place.run(['p.txt', '--shard', `${shard}/3`, '-o', `piece-${shard}.jsonl`]);
    }
    expect(place.asked).toHaveLength(11);
    const pieces = ['piece-3.jsonl', 'piece-1.jsonl', 'piece-2.jsonl'];
    const { code, stderr } = await place.run(['merge', ...pieces, '-o', 'all.jsonl']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: 'natter: merged 11 results\n' });
    expectComplete(place, 'all.jsonl', 11);
    expect((await place.run(['merge', ...pieces])).stdout).toBe(place.read('all.jsonl'));
    // The shell of Windows expands no patterns.
    expect((await place.run(['merge', 'piece-*.jsonl'])).stdout).toBe(place.read('all.jsonl'));
    expectFailure(await place.run(['merge', 'part-*.jsonl']), 2, 'no file matches part-*.jsonl');
  });

  test('with one missing leave gaps, which merge reports and a batch fills', async () => {
    const place = await openPrompts(7);
    for (const shard of [1, 3]) {
      await place.run(['p.txt', '--shard', `${shard}/3`, '-o', `piece-${shard}.jsonl`]);
    }
    const merged = await place.run(['merge', 'piece-1.jsonl', 'piece-3.jsonl', '-o', 'all.jsonl']);
    expect(merged.code).toBe(11);
    expect(merged.stderr).toContain('2 items are missing among 5 results: 2, 5');
    await place.run(['p.txt', '-o', 'all.jsonl']);
    expectComplete(place, 'all.jsonl', 7);
  });

  test('do not overwrite an existing file without --force', async () => {
    const place = await openPrompts(2);
    await place.run(['p.txt', '-o', 'a.jsonl']);
    expect(await place.run(['merge', 'a.jsonl', '-o', 'a.jsonl'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--force') as string,
    });
    expect((await place.run(['merge', 'a.jsonl', '-o', 'a.jsonl', '--force'])).code).toBe(0);
    expectComplete(place, 'a.jsonl', 2);
  });
});
