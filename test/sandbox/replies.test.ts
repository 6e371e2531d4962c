import { describe, expect, test } from 'vitest';
import { type ReplyName, replyNames } from '../../src/sandbox/faults/fault-fields.ts';
import { replies, type Reply } from '../../src/sandbox/replies/replies.ts';
import { compileSchema } from '../../src/schema/compile-schema.ts';
import { countPromptTokens, countTokens, tokensOf } from '../../src/sandbox/completion.ts';
import { expectForAll, fc } from '../support/properties.ts';
import { complete, jsonOf, openSandbox } from './sandbox-helpers.ts';

type ReceivedPrompt = Parameters<Reply>[0];

const received: ReceivedPrompt = {
  request: { model: 'origin', messages: [{ role: 'user', content: 'hello' }], stream: true },
  text: 'hello',
  promptTokens: 4,
  length: undefined,
  seed: undefined,
};

async function replyText(name: ReplyName, fields: Partial<ReceivedPrompt> = {}): Promise<string> {
  const text = replies[name]({ ...received, ...fields });
  return typeof text === 'string' ? text : [...text].join('');
}

const short = replyNames.filter((name) => name !== 'million');

test.each(short)('%s is the same each time, and not empty', async (name) => {
  const text = await replyText(name);
  expect(text).not.toBe('');
  expect(await replyText(name)).toBe(text);
});

describe('a prompt with a JSON Schema', () => {
  const schema = {
    $defs: { name: { type: 'string', minLength: 8 } },
    properties: {
      name: { $ref: '#/$defs/name' },
      mood: { enum: ['calm', 'cross'] },
      sizes: { type: 'array', items: { type: ['number', 'null'], minimum: 2.5 }, minItems: 3 },
      born: { type: 'string', format: 'date' },
      next: { $ref: '#' },
      either: { anyOf: [{ const: 7 }, { type: 'null' }] },
    },
    required: ['name', 'mood', 'sizes', 'born', 'either'],
  };
  const prompt = `invent\n\nAnswer by this JSON Schema:\n${JSON.stringify(schema)}`;
  const request = { model: 'origin', messages: [{ role: 'user', content: prompt } as const] };

  test('sample conforms to it, fenced is the same in a code fence, misfit does not conform', async () => {
    const sample = await replyText('sample', { request });
    const value: unknown = JSON.parse(sample);
    expect(compileSchema(schema, { label: 'the schema' }).check(value)).toEqual([]);
    expect(value).toMatchObject({ mood: 'calm', sizes: [4, 4, 4], next: { mood: 'calm' } });
    expect(await replyText('fenced', { request })).toBe(`\`\`\`json\n${sample}\n\`\`\`\n`);
    expect(JSON.parse(await replyText('misfit', { request }))).toEqual(expect.any(String));
  });

  test('is answered by sample', async () => {
    const sandbox = await openSandbox();
    const answer = jsonOf(await complete(sandbox, prompt));
    const content = expect.stringContaining('"mood": "calm"') as string;
    expect(answer).toMatchObject({ choices: [{ message: { content } }] });
    expect(await replyText('default')).toContain('no language model');
  });
});

describe('the default reply', () => {
  test('describes the request, and that there is no language model', async () => {
    const messages = [
      { role: 'system', content: 'be brief' },
      { role: 'user', content: 'hi' },
      { role: 'user', content: 'hello' },
    ] as const;
    const request = { model: 'origin', stream: true, messages, max_tokens: 500 };
    const text = await replyText('default', { request, promptTokens: 12_345 });
    expect(text).toContain('It has no language model');
    expect(text).toContain('model: `origin`, window 128,000 tokens');
    expect(text).toContain('messages: 3 (1 system, 2 user)');
    expect(text).toContain('prompt length: 12,345 tokens');
    expect(text).toContain('streamed, at most 500 tokens');
    expect(text).toContain('your prompt: `hello`');
  });

  test.each([
    ['a\u001b[31mb\n\n# c `d` \u202ee\u0007', '`a [31mb # c d e`\n'],
    ['😀'.repeat(1_000_000), `\`${'😀'.repeat(80)} …\`\n`],
    [' \n', 'nothing to quote\n'],
  ])(
    'quotes the start of a prompt on one line, without control characters',
    async (text, quote) => {
      expect(await replyText('default', { text })).toContain(`your prompt: ${quote}`);
    },
  );
});

describe('the other replies', () => {
  test('echo returns any text unchanged', async () => {
    const text = `${'x'.repeat(4095)}😀\u001b[31m\r\n\u0000`;
    expect(await replyText('echo', { text })).toBe(text);
  });

  test('tokens has exactly the given number of tokens', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 3000 }), fc.nat(), async (length, seed) => {
        expect(countTokens(await replyText('tokens', { length, seed }))).toBe(length);
      }),
      { numRuns: 30 },
    );
  });

  test('help lists keys, replies, fields and shapes', async () => {
    const text = await replyText('help');
    for (const name of ['sandbox-key', 'markdown', 'retry-after', 'numeric', 'bare']) {
      expect(text).toContain(`\`${name}`);
    }
  });
});

describe('countTokens', () => {
  test.each([
    ['', 0],
    ['hello', 1],
    [' hello', 1],
    ['hello world', 2],
    ['extraordinary', 3],
    ['a, b', 3],
    ['  indented', 3],
    ['\n\n', 1],
    ['中文', 2],
    ['😀', 1],
    ['don’t', 3],
  ])('counts %j as %i', (text, count) => {
    expect(countTokens(text)).toBe(count);
  });

  test('adds three tokens for each message', () => {
    expect(countPromptTokens([{ content: 'hello' }, { content: '' }])).toBe(7);
  });
});

test('tokensOf keeps every character, and yields as many tokens as are counted', () => {
  expectForAll(fc.string({ unit: 'binary' }), (text) => {
    const tokens = [...tokensOf(text)];
    expect(tokens.join('')).toBe(text);
    expect(tokens).toHaveLength(countTokens(text));
    expect(tokens.some((token) => /[\ud800-\udbff]$/.test(token))).toBe(false);
  });
});
