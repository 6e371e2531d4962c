import { describe, expect, test } from 'vitest';
import { openBatchPlace } from '../support/batch.ts';
import { jsonLines } from '../support/natter.ts';

interface Request {
  readonly custom_id: string;
  readonly body: {
    readonly messages: readonly { readonly content: string }[];
    readonly response_format?: object;
  };
}

const words = ['export', 'p.txt', '--schema', 'mood good|bad'];

async function openPlace() {
  const place = await openBatchPlace();
  place.write('p.txt', 'one\ntwo\n');
  return place;
}

function outputOf(requests: readonly Request[], answers: readonly string[]): string {
  return requests
    .map(({ custom_id: id }, index) => {
      const message = { role: 'assistant', content: answers[index] };
      const body = { model: 'engine-1', choices: [{ message, finish_reason: 'stop' }] };
      return `${JSON.stringify({ custom_id: id, response: { status_code: 200, body }, error: null })}\n`;
    })
    .join('');
}

describe('natter batch export --schema', () => {
  test('puts the schema into the prompt, and no field that the service may refuse', async () => {
    const place = await openPlace();
    const { code, stdout } = await place.run(words);
    expect(code).toBe(0);
    const [first] = jsonLines(stdout) as readonly Request[];
    expect(first?.body.messages).toEqual([
      { role: 'user', content: expect.stringMatching(/^one\n\nAnswer with one JSON value/) },
    ]);
    expect(first?.body).not.toHaveProperty('response_format');
  });

  test('sends response_format if the settings have it', async () => {
    const place = await openPlace();
    const { stdout } = await place.run([...words, '--response-format', 'json_schema']);
    const [first] = jsonLines(stdout) as readonly Request[];
    expect(first?.body.response_format).toMatchObject({ type: 'json_schema' });
  });

  test('its results are imported and checked with the same schema', async () => {
    const place = await openPlace();
    const { stdout } = await place.run(words);
    const answers = ['{"mood": "good"}', '{"mood": "glad"}'];
    place.write('out.jsonl', outputOf(jsonLines(stdout) as readonly Request[], answers));
    const schema = ['--schema', 'mood good|bad', '--select', '/mood'];
    const run = await place.run(['import', 'p.txt', 'out.jsonl', ...schema, '-o', 'all.jsonl']);
    expect(run.code).toBe(11);
    expect(place.results('all.jsonl')).toMatchObject([
      { index: 1, value: { mood: 'good' }, selected: 'good' },
      { index: 2, error: { kind: 'mismatch' } },
    ]);
    const without = await place.run(['import', 'p.txt', 'out.jsonl']);
    expect(without.code).toBe(2);
  });

  test('a schema that cannot be read is refused before anything is written', async () => {
    const place = await openPlace();
    const run = await place.run(['export', 'p.txt', '--schema', '{"type": 5}', '-o', 'x.jsonl']);
    expect(run.code).toBe(2);
    expect(() => place.read('x.jsonl')).toThrow('ENOENT');
  });
});
