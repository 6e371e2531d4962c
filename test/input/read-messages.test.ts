import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseMessages, parseTyped } from '../../src/input/read-messages.ts';
import { openBatchPlace, parseResults } from '../support/batch.ts';
import { createDataFolder } from '../support/data-folder.ts';
import { folderOf } from '../support/folder.ts';
import { expectFailure, runInMemory } from '../support/in-memory.ts';
import { openRemote } from '../support/remote-service.ts';
import { githubToken } from '../support/secret.ts';

const parsed = (text: string) =>
  parseMessages(text, 'm.json').map(({ role, content }) => `${role}: ${content}`);

const history = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: '2+2' },
  { role: 'assistant', content: '4' },
];

const typed = ['-M', 'system:Be brief.', '-M', 'user:2+2', '-M', 'assistant:4'];

/** The messages that a command line would send. */
async function sent(words: readonly string[], input = ''): Promise<unknown> {
  const { stdout, stderr } = await runInMemory([...words, '--dry-run'], { input });
  if (stdout === '') return stderr;
  return (JSON.parse(stdout) as { request: { body: { messages: unknown } } }).request.body.messages;
}

const fileOf = (value: unknown) => join(folderOf({ 'm.json': JSON.stringify(value) }), 'm.json');

const userLine = '{"role":"user","content":"a"}';

describe('messages are read from', () => {
  test.each([
    ['a list', '[{"role":"user","content":"a"},{"role":"assistant","content":"b","x":1}]'],
    ['an object', `{"messages":[${userLine},{"role":"assistant","content":"b"}]}`],
    ['lines', '{"role":"user","content":"a"}\r\n\n{"role":"assistant","content":"b"}\n'],
    ['parts', `[${userLine},{"role":"assistant","content":[{"type":"text","text":"b"}]}]`],
  ])('%s', (_what, text) => {
    expect(parsed(text)).toEqual(['user: a', 'assistant: b']);
  });

  test('one line with one message', () => {
    expect(parsed(userLine)).toEqual(['user: a']);
  });

  test('-M, whose text may have colons and lines', () => {
    expect(parseTyped(['user:a: b\nc'])).toMatchObject([{ role: 'user', content: 'a: b\nc' }]);
  });
});

describe('what cannot be sent is named with its place', () => {
  test.each([
    [`[${userLine},{"role":"tool","content":"b"}]`, '2 has the role "tool"; natter sends system,'],
    [`${userLine}\n\n{"role":"User","content":"b"}`, 'message 2 (line 3) has the role "User"'],
    ['{"role":"user","content":"a"}\n{"role"', 'm.json: line 2 is not JSON at column 8'],
    ['[{"content":"a"}]', 'm.json: message 1 has no role'],
    ['[{"role":"user"}]', 'm.json: message 1 has content that is not text'],
    ['[{"role":"user","content":" "}]', 'm.json: message 1 has no text'],
    ['[{"role":"user","content":[{"type":"img"}]}]', '1 has a part of the type "img"'],
    ['["a"]', 'm.json: message 1 is not an object'],
    ['[]', 'm.json has no message'],
    ['"a"', 'm.json is not a list of messages'],
    ['[\n{]', 'm.json is not JSON at line 2, column 2'],
    ['', 'm.json is not JSON at line 1, column 1'],
  ])('%s', (text, problem) => {
    expect(() => parsed(text)).toThrow(problem);
  });

  test.each([
    [['-M', 'hello'], '-M: message 1 has no role'],
    [['-M', 'tool:a'], '-M: message 1 has the role "tool"'],
    [['-M', 'assistant:a'], 'has the role "assistant" and is the first one'],
    [['-M', 'user:a', '-M', 'user:b'], '-M: message 2 has the role "user" and follows one of the'],
    [['-M', 'user:a'], '-M: message 1 has the role "user", and the prompt follows it'],
    [[...typed, '-s', 'x'], '--system and a system message cannot be used together'],
    [[...typed, '-c'], "option '-M <role:text>' cannot be used with option '-c, --continue'"],
    [['--messages', '-', '-'], '"-" requires standard input, but --messages reads it'],
  ])('%j', async (words, problem) => {
    const input = JSON.stringify(history);
    expectFailure(await runInMemory([...words, 'hi', '--sandbox'], { input }), 2, problem);
  });
});

test('messages are sent before the prompt; those of -M follow those of a file', async () => {
  const [, user, assistant] = history;
  const prompt = { role: 'user', content: '3+3' };
  expect(await sent([...typed, '3+3'])).toEqual([...history, prompt]);
  const both = ['--messages', fileOf(history), '-M', 'user:2+2', '-M', 'assistant:4', '3+3'];
  expect(await sent(both)).toEqual([...history, user, assistant, prompt]);
  const piped = await sent(['--messages', '-', '3+3'], JSON.stringify(history));
  expect(piped).toEqual([...history, prompt]);
  expect(await sent(['--messages', '-', '3+3'])).toContain('standard input is empty');
});

test('without a prompt, the last message is the prompt, and standard input joins it', async () => {
  const words = ['--messages', fileOf([...history, { role: 'user', content: '3+3' }])];
  expect(await sent(words, '+1')).toEqual([...history, { role: 'user', content: '3+3\n\n+1' }]);
  expect(await sent(typed)).toContain('there is no prompt, and the messages do not end with one');
});

test('natter run sends them before the prompt of the file; a system message replaces its own', async () => {
  const file = join(folderOf(), 'r.md');
  writeFileSync(file, '---\nsystem: own\n---\nhi');
  const prompt = { role: 'user', content: 'hi' };
  expect(await sent(['run', file, ...typed])).toEqual([...history, prompt]);
});

test('messages are the first turns of the conversation, which has none before', async () => {
  const data = createDataFolder();
  const named = ['--sandbox', '--conversation', 'sums', '[sandbox echo]six'];
  expect((await data.run([...named, ...typed])).code).toBe(0);
  const turns = [...data.only().turns.values()];
  expect(turns.map(({ role, content }) => ({ role, content }))).toMatchObject([...history, {}, {}]);
  expect(turns[2]?.incomplete).toBeUndefined();
  const { stdout } = await data.run(['-c', 'and?', '--dry-run', '--sandbox']);
  expect(stdout.match(/"role"/g)).toHaveLength(6);
  const again = await data.run([...named, ...typed]);
  expectFailure(again, 2, 'the conversation "sums" has turns already');
});

test('a secret in a message is refused with its place, for a prompt and a batch', async () => {
  const { server, env } = await openRemote();
  const file = fileOf([{ role: 'user', content: `a\n${githubToken}` }, history[2]]);
  const prompts = join(folderOf(), 'p.txt');
  writeFileSync(prompts, 'a\nb\n');
  for (const words of [['hi'], ['batch', prompts]]) {
    const place = `${file}: message 1 line 2 has a GitHub token, so`;
    expectFailure(await runInMemory([...words, '--messages', file], { env }), 17, place);
  }
  expect(server.requests).toEqual([]);
});

test('natter batch sends them before each prompt, and fails an item with messages of its own', async () => {
  const place = await openBatchPlace();
  place.write('m.json', JSON.stringify(history));
  const lines = [{ prompt: 'a', system: 'own' }, { messages: history }];
  place.write('p.jsonl', lines.map((line) => JSON.stringify(line)).join('\n'));
  const { code, stdout } = await place.run(['p.jsonl', '--messages', 'm.json']);
  expect(code).toBe(2);
  const own = { role: 'system', content: 'own' };
  const messages = [own, ...history.slice(1), { role: 'user', content: 'a' }];
  expect(place.bodies).toMatchObject([{ messages }]);
  const message = expect.stringContaining('has messages of its own') as string;
  expect(parseResults(stdout)).toMatchObject([{ content: 'a' }, { error: { message } }]);
  const both = await place.run(['--messages', '-']);
  expectFailure(both, 2, 'cannot have both the messages and the prompts');
});
