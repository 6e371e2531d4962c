import { describe, expect, test } from 'vitest';
import { githubToken } from '../../../support/secret.ts';
import { openQueuePlace } from './queue-helpers.ts';

const usage = (words: RegExp) =>
  expect.objectContaining({
    kind: 'usage',
    message: expect.stringMatching(words) as string,
  }) as Error;

const states = (place: Awaited<ReturnType<typeof openQueuePlace>>, name: string) =>
  [...place.batch(name).jobs].map(([id, { state }]) => `${id} ${state}`);

describe('natter batch submit', () => {
  test('adds each item as a job with its id, and the options for the requests', async () => {
    const place = await openQueuePlace();
    place.write('p.jsonl', '{"id":"a","prompt":"one"}\n{"prompt":"two"}\n');
    const text = await place.submit('p.jsonl', {
      model: 'nextgen',
      system: 'brief',
      maxTokens: '5',
      param: ['seed=1'],
      stream: false,
    });
    expect(text).toBe('natter: batch p: 2 items added\n');
    expect(states(place, 'p')).toEqual(['id-a waiting', 'item-2 waiting']);
    expect(await place.batch('p').queue.header()).toEqual({
      input: place.path('p.jsonl'),
      model: 'nextgen',
      system: 'brief',
      maxTokens: 5,
      params: { seed: 1 },
      stream: false,
    });
  });

  test('adds nothing twice, only what is new', async () => {
    const place = await openQueuePlace();
    place.write('p.txt', 'one\ntwo\n');
    await place.submit('p.txt');
    place.write('p.txt', 'one\ntwo\nthree\n');
    expect(await place.submit('p.txt')).toBe(
      'natter: batch p: 1 item added, 2 were there before\n',
    );
    expect(await place.submit('p.txt')).toContain('0 items added, 3 were there before');
    expect(place.batch('p').jobs.size).toBe(3);
  });

  test.each([
    ['a changed prompt', '{"id":"a","prompt":"one"}\n{"id":"b","prompt":"new"}\n'],
    ['a changed id', '{"id":"a","prompt":"one"}\n{"id":"c","prompt":"two"}\n'],
    ['a changed order', '{"id":"b","prompt":"two"}\n{"id":"a","prompt":"one"}\n'],
  ])('refuses %s, and adds nothing', async (_, changed) => {
    const place = await openQueuePlace();
    place.write('p.jsonl', '{"id":"a","prompt":"one"}\n{"id":"b","prompt":"two"}\n');
    await place.submit('p.jsonl');
    place.write('p.jsonl', `${changed}{"id":"d","prompt":"more"}\n`);
    await expect(place.submit('p.jsonl')).rejects.toThrow(usage(/^line \d of the input has /));
    expect(place.batch('p').jobs.size).toBe(2);
  });

  test('keeps the result of a line that cannot be sent, until it is corrected', async () => {
    const place = await openQueuePlace();
    place.write('p.jsonl', '{"prompt":"one"}\n{"promt":"two"}\n');
    const text = await place.submit('p.jsonl');
    expect(text).toContain('warning: line 2 of');
    expect(await place.batch('p').queue.counts()).toMatchObject({ items: 2, failed: 1 });
    place.write('p.jsonl', '{"prompt":"one"}\n{"prompt":"two"}\n');
    expect(await place.submit('p.jsonl')).toContain('1 item added, 1 were there before');
    expect(await place.batch('p').queue.counts()).toMatchObject({ items: 2, waiting: 2 });
  });

  test('sets the rate of a new batch, and changes it only with --rpm', async () => {
    const place = await openQueuePlace();
    place.write('p.txt', 'one\n');
    await place.submit('p.txt');
    await place.submit('p.txt');
    await place.submit('p.txt', { rpm: '90' });
    expect(place.batch('p').log).toEqual(['rate none', 'rate 90']);
  });

  test.each([
    [{ attempts: '0' }, /--attempts/],
    [{ rpm: 'x' }, /--rpm/],
    [{ batch: 'a:b' }, /--batch/],
  ])('refuses %j', async (options, words) => {
    const place = await openQueuePlace();
    place.write('p.txt', 'one\n');
    await expect(place.submit('p.txt', options)).rejects.toThrow(usage(words));
  });

  test('refuses an empty file before it connects', async () => {
    const place = await openQueuePlace();
    place.write('p.txt', '\n');
    await expect(place.submit('p.txt')).rejects.toThrow(usage(/contains no prompt/));
    expect(await place.connection.batches()).toEqual([]);
  });

  test('refuses prompts with secrets for a queue on a different host, and adds nothing', async () => {
    const place = await openQueuePlace();
    place.write('p.txt', `one\nuse ${githubToken}\n`);
    await expect(place.submit('p.txt')).rejects.toThrow(
      expect.objectContaining({
        kind: 'secrets',
        message: `${place.path('p.txt')} line 2 has a GitHub token, so it was not sent to the queue at queue.test:6379`,
      }) as Error,
    );
    expect(place.batch('p').jobs.size).toBe(0);
    expect(await place.submit('p.txt', { allowSecrets: true })).toContain('2 items added');
  });
});
