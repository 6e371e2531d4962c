// The contract with an independent client of the same wire format.

import OpenAI from 'openai';
import { describe, expect, test } from 'vitest';
import { sandboxKey } from '../../src/sandbox/keys.ts';
import { ways } from './engine-helpers.ts';

describe.each(ways)('the openai package, and a sandbox $way', ({ open, prompt }) => {
  async function openClient(apiKey = sandboxKey): Promise<OpenAI> {
    const { url } = await open();
    return new OpenAI({ apiKey, baseURL: `${url}/v1`, maxRetries: 0 });
  }

  function request(content: string) {
    return { model: 'origin', messages: [{ role: 'user' as const, content }] };
  }

  test('completes', async () => {
    const client = await openClient();
    const completion = await client.chat.completions.create(
      request(prompt('[sandbox echo] hello')),
    );
    expect(completion.choices[0]?.message.content).toBe('hello');
    expect(completion.choices[0]?.finish_reason).toBe('stop');
    expect(completion.usage?.total_tokens).toBe(10);
  });

  test('streams', async () => {
    const client = await openClient();
    const stream = await client.chat.completions.create({
      ...request(prompt('[sandbox unicode]')),
      stream: true,
    });
    let text = '';
    let finish: string | null | undefined;
    for await (const chunk of stream) {
      text += chunk.choices[0]?.delta.content ?? '';
      finish = chunk.choices[0]?.finish_reason;
    }
    expect(text).toContain('吾輩は猫である');
    expect(finish).toBe('stop');
  });

  test.each(['[sandbox unicode]', '[sandbox echo]', '[sandbox echo reasoning] hi'])(
    'Y21: its stream helper, which requires a role, reads %s',
    async (content) => {
      const client = await openClient();
      const stream = client.chat.completions.stream(request(prompt(content)));
      const completion = await stream.finalChatCompletion();
      expect(completion.choices[0]?.message.role).toBe('assistant');
      expect(completion.choices[0]?.finish_reason).toBe('stop');
    },
  );

  test('lists the models', async () => {
    const client = await openClient();
    const { data } = await client.models.list();
    expect(data.map(({ id }) => id)).toEqual(['origin', 'nextgen']);
  });

  test('retrieves a model', async () => {
    const client = await openClient();
    expect(await client.models.retrieve('nextgen')).toMatchObject({ id: 'nextgen' });
  });

  test.each([
    [400, OpenAI.BadRequestError],
    [401, OpenAI.AuthenticationError],
    [403, OpenAI.PermissionDeniedError],
    [404, OpenAI.NotFoundError],
    [429, OpenAI.RateLimitError],
    [500, OpenAI.InternalServerError],
  ])('maps %i to its error', async (status, expected) => {
    const client = await openClient();
    const answer = client.chat.completions.create(request(`[sandbox ${status} message=so]`));
    await expect(answer).rejects.toBeInstanceOf(expected);
    await expect(
      client.chat.completions.create(request(`[sandbox ${status} message=so]`)),
    ).rejects.toMatchObject({ status, message: expect.stringContaining('so') });
  });

  test('reports an unknown key and an unsupported parameter', async () => {
    const stranger = await openClient('sk-stranger');
    await expect(stranger.models.list()).rejects.toBeInstanceOf(OpenAI.AuthenticationError);
    const client = await openClient();
    await expect(
      client.chat.completions.create({ ...request('hello'), temperature: 1 }),
    ).rejects.toThrow(/"temperature"/);
  });

  test('retries errors that are transient in the contract', async () => {
    const { url } = await open();
    const client = new OpenAI({ apiKey: sandboxKey, baseURL: `${url}/v1`, maxRetries: 2 });
    const completion = await client.chat.completions.create(
      request('[sandbox 429 retry-after=0 times=2 echo] hello'),
    );
    expect(completion.choices[0]?.message.content).toBe('hello');
  });
});
