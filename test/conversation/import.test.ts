import { expect, test } from 'vitest';
import { readImport } from '../../src/conversation/import.ts';
import { JournalFold } from '../../src/conversation/journal/records.ts';
import { pathOf, titleOf } from '../../src/conversation/tree.ts';

const now = new Date('2026-11-28T12:00:00Z');

function read(value: unknown, text = JSON.stringify(value)) {
  return [...readImport(text, 'file', now)].map((entry) => {
    const { conversation = new JournalFold('').conversation() } = entry;
    return {
      ...entry,
      title: titleOf(conversation),
      createdAt: conversation.createdAt,
      turns: [...conversation.turns.values()],
      path: pathOf(conversation).map(({ role, content }) => `${role}: ${content}`),
      omitted: Object.fromEntries(entry.omitted),
    };
  });
}

const node = (parent: unknown, role: string, parts: readonly unknown[], others: object = {}) => ({
  parent,
  message: { author: { role }, content: { content_type: 'text', parts }, ...others },
});

test('reads the tree of ChatGPT: versions, the selected path, models, times, and what it leaves out', () => {
  const mapping = {
    root: { parent: null, message: null },
    ask: node('root', 'user', [{ content_type: 'image_asset_pointer' }, 'why?']),
    one: node('ask', 'assistant', ['one'], { create_time: 1_700_000_001 }),
    two: node('ask', 'assistant', ['two'], {
      create_time: 1_700_000_002,
      metadata: { model_slug: 'gpt-4' },
    }),
    call: node('one', 'assistant', ['print(1)'], { recipient: 'python' }),
    result: node('call', 'tool', ['1']),
    next: node('result', 'user', ['and?'], { create_time: 1_700_000_003 }),
  };
  const chat = { id: 'c1', title: 'Sky\nblue', create_time: 1_700_000_000, mapping };
  const [found] = read([{ ...chat, current_node: 'next' }]);
  expect(found).toMatchObject({
    origin: 'chatgpt c1',
    title: 'Sky',
    createdAt: new Date(1_700_000_000_000),
    path: ['user: [image]\n\nwhy?', 'assistant: one', 'user: and?'],
    omitted: { attachment: 1, 'tool message': 2 },
  });
  expect(found?.turns).toHaveLength(4);
  const second = found?.turns.find(({ content }) => content === 'two');
  expect(second).toMatchObject({ model: 'gpt-4', createdAt: new Date(1_700_000_002_000) });
  expect(second?.incomplete).toBeUndefined();
});

test('reads messages of Claude with pasted text; its root is the id of no message', () => {
  const message = { uuid: 'm1', sender: 'human', text: 'look', parent_message_uuid: '0-0' };
  const attachments = [{ file_name: 'a.txt', extracted_content: 'pasted' }];
  const parts = [{ type: 'thinking' }, { type: 'text', text: 'Fine.' }];
  const answer = { sender: 'assistant', content: parts, created_at: '2026-02-14T10:05:22Z' };
  const chat_messages = [{ ...message, attachments }, answer];
  const chat = { uuid: 'u1', name: 'Paste', created_at: '2026-02-14T10:04:22Z', chat_messages };
  expect(read([chat])).toMatchObject([
    {
      origin: 'claude u1',
      title: 'Paste',
      path: ['user: look\n\n<file name="a.txt">\npasted\n</file>', 'assistant: Fine.'],
      omitted: { thought: 1 },
    },
  ]);
});

test('joins the rows of a conversation of llm, in the order of their times', () => {
  const row = { conversation_id: 'k1', model: 'm', system: 'be brief', response: 'r' };
  const counts = { input_tokens: 3, output_tokens: 4 };
  const [found] = read([
    { ...row, prompt: 'second', datetime_utc: '2026-01-01T10:01:00.123456+00:00', ...counts },
    { ...row, prompt: 'first', datetime_utc: '2026-01-01T10:00:00' },
  ]);
  const createdAt = new Date('2026-01-01T10:00:00Z');
  const path = ['system: be brief', 'user: first', 'assistant: r', 'user: second', 'assistant: r'];
  expect(found).toMatchObject({ path, createdAt });
  expect(found?.turns.at(-1)).toMatchObject({ model: 'm', usage: { total_tokens: 7 } });
});

test.each([
  ['a circle', { a: node('b', 'user', ['A']), b: node('a', 'assistant', ['B']) }, 2],
  ['__proto__', JSON.parse('{"__proto__":{"message":{"author":{"role":"user"}}}}'), 0],
  ['wrong types', { a: 7, b: { message: 5 }, c: { parent: {}, message: { content: [] } } }, 0],
  ['a time out of range', { a: node(3, 'user', ['A'], { create_time: 1e300 }) }, 1],
])('reads a tree with %s', (_name, mapping, turns) => {
  const [found] = read([{ id: 7, title: ['x'], mapping, current_node: 'a' }]);
  expect(found?.turns).toHaveLength(turns);
});

test('a chain of 30,000 nodes is read without recursion', () => {
  const nodes = Array.from({ length: 30_000 }, (_, index) => {
    return [`n${index}`, node(`n${index + 1}`, 'user', ['x'])] as const;
  });
  const [found] = read([{ mapping: Object.fromEntries(nodes), current_node: 'n0' }]);
  expect(found?.path.length).toBe(30_000);
});

test('reports an entry that is no conversation, and reads the others', () => {
  const mapping = { a: node(null, 'user', ['A']) };
  const [first, second] = read([42, { mapping }]);
  expect(first?.problem).toBe('entry 1 of file is not a conversation');
  expect(second?.path).toEqual(['user: A']);
});

test.each([
  ['PK\u0003\u0004', 'file is a zip file'],
  ['[1,', 'file is not JSON at line 1, column 4'],
  ['{"a":1}', 'file is not an export that natter knows'],
  [`${'['.repeat(600)}${']'.repeat(600)}`, 'file is nested more than 500 deep'],
  ['', 'file is not JSON'],
])('refuses %j', (text, message) => {
  expect(() => read(undefined, text)).toThrow(message);
});
