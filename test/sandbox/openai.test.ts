// The contract with an independent client of the same wire format.

import OpenAI from 'openai';
import { describe, expect, test } from 'vitest';
import { sandboxKey } from '../../src/sandbox/keys.ts';
import { ways } from './sandbox-helpers.ts';

describe.each(ways)('the openai package, and a sandbox $way', ({ open, prompt }) => {
  async function openClient(maxRetries = 0): Promise<OpenAI> {
    const { url } = await open();
    return new OpenAI({ apiKey: sandboxKey, baseURL: `${url}/v1`, maxRetries });
  }

  const request = (content: string) => ({
    model: 'origin',
    messages: [{ role: 'user' as const, content }],
  });

  test('completes, after retries of errors that are transient in the contract', async () => {
    const { chat } = await openClient(2);
    const completion = await chat.completions.create(
      request('[sandbox 429 retry-after=0 times=2 echo] hello'),
    );
    expect(completion.choices[0]?.message.content).toBe('hello');
    expect(completion.choices[0]?.finish_reason).toBe('stop');
    expect(completion.usage?.completion_tokens).toBe(1);
  });

  test.each([
    ['[sandbox unicode]', '吾輩は猫である'],
    ['[sandbox echo]', ''],
    ['[sandbox echo reasoning] hi', ''],
  ])('Y21: its stream helper, which requires a role, reads %s', async (content, text) => {
    const { chat } = await openClient();
    const stream = chat.completions.stream(request(prompt(content)));
    const { choices } = await stream.finalChatCompletion();
    expect(choices[0]?.message.role).toBe('assistant');
    expect(choices[0]?.message.content ?? '').toContain(text);
    expect(choices[0]?.finish_reason).toBe('stop');
  });

  test('lists and retrieves the models', async () => {
    const { models } = await openClient();
    expect((await models.list()).data.map(({ id }) => id)).toEqual(['origin', 'nextgen']);
    expect(await models.retrieve('nextgen')).toMatchObject({ id: 'nextgen' });
  });

  test('reads the message of an error', async () => {
    const { chat } = await openClient();
    const answer = chat.completions.create(request('[sandbox 404 message=so]'));
    await expect(answer).rejects.toMatchObject({ status: 404, message: '404 so' });
  });
});
