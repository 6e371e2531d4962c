import { describe, expect, test } from 'vitest';
import { openBatchPlace, promptLines } from '../support/batch.ts';
import { jsonLines } from '../support/natter.ts';

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
    const place = await openBatchPlace();
    place.write('p.jsonl', '{"id":"a","prompt":"one"}\n{"prompt":"two","max_tokens":7}\n');
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
    const place = await openBatchPlace();
    place.write('p.txt', promptLines(2));
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
    const place = await openBatchPlace();
    place.write('p.jsonl', '{"prompt":"one"}\noops\n');
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
