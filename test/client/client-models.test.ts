import { expect, test } from 'vitest';
import { json, response } from '../support/raw-replies.ts';
import { serveClient } from '../support/serve.ts';

test('lists the models', async () => {
  const { server, client } = await serveClient([
    [json(200, { data: [{ id: 'origin' }, { id: 'nextgen', colour: 'blue' }] })],
  ]);
  expect(await client.listModels()).toMatchObject([
    { id: 'origin' },
    { id: 'nextgen', colour: 'blue' },
  ]);
  expect(server.requests[0]).toMatchObject({ method: 'GET', path: '/v1/models', body: '' });
});

test('gets one model', async () => {
  const { server, client } = await serveClient([[json(200, { id: 'a/b c' })]]);
  expect(await client.getModel('a/b c')).toMatchObject({ id: 'a/b c' });
  expect(server.requests[0]?.path).toBe('/v1/models/a%2Fb%20c');
});

test('R15 an unknown model is not found, with one request', async () => {
  const { server, client } = await serveClient([[json(404, { error: { name: 'not_found' } })]]);
  await expect(client.getModel('other')).rejects.toMatchObject({
    kind: 'not_found',
    status: 404,
    attempts: 1,
  });
  expect(server.requests).toHaveLength(1);
});

test.each(['', '.', '..'])(
  'does not request the model "%s", which is a different address',
  async (id) => {
    const { server, client } = await serveClient([[json(200, {})]]);
    await expect(client.getModel(id)).rejects.toMatchObject({ kind: 'not_found' });
    expect(server.connections()).toBe(0);
  },
);

test('R12 retries, and reports each retry', async () => {
  const { client, clock } = await serveClient([[json(500, {})], [json(200, [{ id: 'origin' }])]]);
  const delays: number[] = [];
  const models = await client.listModels({
    onRetry({ delay }) {
      delays.push(delay);
      setImmediate(() => void clock.advance(delay));
    },
  });
  expect(models).toMatchObject([{ id: 'origin' }]);
  expect(delays).toEqual([500]);
});

test.each(['<html>Welcome</html>', ''])(
  'an answer that is not JSON is a failure without its text: %s',
  async (body) => {
    const { client } = await serveClient([[response(200, {}, body)]]);
    const listing = client.listModels();
    await expect(listing).rejects.toMatchObject({ kind: 'server_error' });
    await expect(listing).rejects.not.toThrow(/Welcome/);
  },
);

test('a list of 16 MB is read, and a longer one is refused and requested once', async () => {
  const list = '{"data":[{"id":"origin"}]}'.padEnd(16 * 2 ** 20, ' ');
  const replies = [list, `${list} `].map((body) => [response(200, {}, body)]);
  const { server, client } = await serveClient(replies);
  expect(await client.listModels()).toMatchObject([{ id: 'origin' }]);
  await expect(client.listModels()).rejects.toThrow('the answer is longer than 16 MB');
  expect(server.requests).toHaveLength(2);
});
