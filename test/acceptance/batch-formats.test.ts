import { describe, expect, test } from 'vitest';
import { rule } from '../sandbox/sandbox-helpers.ts';
import { openBatchPlace, parseResults, promptLines } from '../support/batch.ts';
import { jsonLines } from '../support/natter.ts';

const request = (id: string, content: string, more: object = {}) =>
  `${JSON.stringify({
    custom_id: id,
    method: 'POST',
    url: '/v1/chat/completions',
    body: { model: 'nextgen', messages: [{ role: 'user', content }], ...more },
  })}\n`;

describe('an input of OpenAI batch requests', () => {
  test('is recognised, and answered', async () => {
    const place = await openBatchPlace();
    place.write('r.jsonl', request('a', 'one') + request('b', 'two'));
    const { code, stdout } = await place.run(['r.jsonl']);
    expect(code).toBe(0);
    expect(parseResults(stdout)).toMatchObject([
      { id: 'a', content: 'one', model: 'nextgen' },
      { id: 'b', content: 'two' },
    ]);
  });

  test('X12: may have any field in a body', async () => {
    const place = await openBatchPlace();
    place.write('r.jsonl', request('a', 'one', { temperature: 0, vendor: { x: [1] } }));
    // The sandbox refuses fields that the contract does not have.
    expect((await place.run(['r.jsonl', '--no-stream'])).code).toBe(7);
    expect(place.bodies).toEqual([
      {
        model: 'nextgen',
        messages: [{ role: 'user', content: 'one' }],
        temperature: 0,
        vendor: { x: [1] },
      },
    ]);
  });

  test('with a different address is an invalid item', async () => {
    const place = await openBatchPlace();
    place.write('r.jsonl', request('a', 'one').replace('chat/completions', 'embeddings'));
    const { code, stderr } = await place.run(['r.jsonl']);
    expect(code).toBe(2);
    expect(stderr).toContain(
      'line 1 of r.jsonl has the url "/v1/embeddings"; natter sends only to "/v1/chat/completions"',
    );
    expect(place.asked).toEqual([]);
  });

  test('may have contents in parts', async () => {
    const place = await openBatchPlace();
    const messages = [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }];
    place.write('r.jsonl', request('a', '', { messages }));
    const { stdout, code } = await place.run(['r.jsonl', '--dry-run']);
    expect(code).toBe(0);
    expect(jsonLines(stdout)).toMatchObject([{ request: { body: { messages } } }]);
  });
});

describe('--output-format openai', () => {
  const words = ['p.txt', '-o', 'out.jsonl', '--output-format', 'openai', '--retries', '0'];

  test('has the shape of an OpenAI batch output file, and resumes', async () => {
    const place = await openBatchPlace([rule('500 times=1')]);
    place.write('p.txt', promptLines(3));
    expect((await place.run([...words, '--concurrency', '1'])).code).toBe(75);
    const [refused, answered] = jsonLines(place.read('out.jsonl'));
    expect(refused).toEqual({
      id: expect.stringMatching(/^natter-1-[\da-f]{16}$/) as string,
      custom_id: expect.stringMatching(/^natter-1-[\da-f]{16}$/) as string,
      response: {
        status_code: 500,
        request_id: expect.stringContaining('sandbox-request') as string,
        body: { error: expect.objectContaining({ type: 'server_error' }) as object },
      },
      error: null,
    });
    expect(answered).toMatchObject({
      response: {
        status_code: 200,
        body: {
          id: expect.stringMatching(/^chatcmpl-/) as string,
          object: 'chat.completion',
          created: expect.any(Number) as number,
          model: 'origin',
          choices: [
            {
              index: 0,
              message: { role: 'assistant', content: 'prompt 2', refusal: null },
              finish_reason: 'stop',
            },
          ],
          usage: { total_tokens: expect.any(Number) as number },
        },
      },
      error: null,
    });
    const { code, stderr } = await place.run(words);
    expect(code).toBe(0);
    expect(stderr).toContain('3 of 3 items answered (2 before)');
    expect(place.asked).toHaveLength(4);
    expect(jsonLines(place.read('out.jsonl'))).toHaveLength(3);
  });

  test('keeps the text of a cut answer beside its error', async () => {
    const place = await openBatchPlace([rule('tokens=50 fin cut-after=5')]);
    const { stdout } = await place.run(['-', '--output-format', 'openai'], {
      input: '{"id":"x","prompt":"one"}\n',
    });
    const [result] = jsonLines(stdout) as [
      { custom_id: string; response: { body: { choices: [{ message: { content: string } }] } } },
    ];
    expect(result).toMatchObject({ custom_id: 'x', error: { code: 'incomplete' } });
    expect(result.response.body.choices[0].message.content).not.toBe('');
  });

  test('has an error for an invalid item', async () => {
    const place = await openBatchPlace();
    const { stdout } = await place.run(['--format', 'jsonl', '--output-format', 'openai'], {
      input: 'oops\n',
    });
    expect(jsonLines(stdout)).toEqual([
      {
        id: 'natter-1',
        custom_id: 'natter-1',
        response: null,
        error: { code: 'usage', message: 'line 1 of the input is not JSON at column 1' },
      },
    ]);
  });

  test('never mixes with results of a different format', async () => {
    const place = await openBatchPlace();
    place.write('p.txt', promptLines(1));
    await place.run(words);
    const before = place.read('out.jsonl');
    const { code, stderr } = await place.run(['p.txt', '-o', 'out.jsonl']);
    expect(code).toBe(2);
    expect(stderr).toContain('natter: out.jsonl has results in the format openai\n');
    expect(stderr).toContain('add --output-format openai');
    expect(place.read('out.jsonl')).toBe(before);
  });

  test('can be merged', async () => {
    const place = await openBatchPlace();
    place.write('p.txt', promptLines(4));
    for (const shard of [1, 2]) {
      const piece = ['-o', `piece-${shard}.jsonl`, '--shard', `${shard}/2`];
      await place.run(['p.txt', '--output-format', 'openai', ...piece]);
    }
    const { code } = await place.run([
      'merge',
      'piece-1.jsonl',
      'piece-2.jsonl',
      '-o',
      'all.jsonl',
    ]);
    expect(code).toBe(0);
    const again = await place.run(['p.txt', '-o', 'all.jsonl', '--output-format', 'openai']);
    expect(again.stderr).toContain('4 of 4 items answered (4 before)');
    await place.run(['p.txt', '-o', 'own.jsonl', '--shard', '1/2']);
    const mixed = await place.run(['merge', 'own.jsonl', 'piece-2.jsonl']);
    expect(mixed.code).toBe(2);
    expect(mixed.stderr).toContain('own.jsonl and piece-2.jsonl have results in different formats');
  });
});
