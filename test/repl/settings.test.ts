import { expect, test } from 'vitest';
import { openMemorySession, received, replying, saying } from '../support/memory-session.ts';

async function entered(...lines: readonly string[]) {
  const memory = openMemorySession({});
  await memory.submit(...lines);
  return memory;
}

test('/temperature and /param set fields of the next requests, and keep them in the conversation', async () => {
  const memory = await entered('/temperature 0.2', '/param top_p=0.9', 'why?', '/param');
  expect(memory.requests[0]?.params).toEqual({ temperature: 0.2, top_p: 0.9 });
  expect(memory.text()).toContain(
    'natter: parameters: temperature=0.2, top_p=0.9; /param NAME off',
  );
  expect(memory.session.state().conversation.parameters).toEqual({
    set: { temperature: 0.2, top_p: 0.9 },
    removed: [],
  });
});

test('/reasoning sets what is shown of it, or asks', async () => {
  const memory = await entered('/reasoning minimize', '/reasoning loud', '/reasoning');
  expect(memory.text()).toContain('natter: one row says how long the model reasoned\n');
  expect(memory.text()).toContain('unknown mode loud\n  available: show, minimize, hide');
  expect(memory.session.state().dialog).toMatchObject({
    title: 'one row says how long the model reasoned',
    selected: 1,
  });
  await memory.submit('1');
  expect(memory.session.state().reasoning).toBe('show');
});

test('/time switches the times of prompts, which line mode speaks', async () => {
  const memory = await entered('/time', 'why?');
  expect(memory.text()).toMatch(/natter: the transcript shows when prompts are sent; \/time off/);
  expect(memory.text()).toMatch(/natter: sent at \d\d:\d\d, \w+day \d+ \w+\n$/);
  await memory.submit('/time', '/time on', '/time off', '/time never');
  expect(memory.session.state().settings.times).toBe('off');
  expect(memory.text()).toContain('unknown word never\n  available: on, off');
});

test('off removes a field, and a name alone shows it', async () => {
  const memory = await entered(
    '/temperature 0.2',
    '/temperature',
    '/temperature off',
    '/temperature',
    '/param top_k off',
    'why?',
  );
  expect(memory.text()).toContain('natter: temperature=0.2\n');
  expect(memory.text()).toContain('natter: temperature is no longer sent\n');
  expect(memory.text()).toContain(
    'natter: no parameter temperature is sent; /param temperature=VALUE sets it\n',
  );
  expect(memory.session.state().settings.parameters).toEqual({
    set: {},
    removed: ['temperature'],
  });
  expect(memory.text()).toContain('no parameter top_k is sent; /param top_k=VALUE sets it\n');
});

test('R12: /param sets and removes the token limit, too', async () => {
  const limits = ['/param max_tokens=500', '/param', 'why?', '/param max_tokens off', 'and?'];
  const memory = await entered(...limits, '/param max_tokens=many');
  expect(memory.text()).toContain(
    'natter: parameters: max_tokens=500; /param NAME off removes one',
  );
  expect(memory.requests.map(({ max_tokens }) => max_tokens)).toEqual([500, undefined]);
  expect(memory.text()).toContain('max_tokens needs a whole number of at least 1');
});

test('R10: /role opens a list of the roles, and in line mode prints it', async () => {
  const memory = await entered('/role critic', '/role');
  const { dialog } = memory.session.state();
  expect(dialog).toMatchObject({ title: 'the role is critic', choices: [{ label: 'critic' }] });
  const lines = openMemorySession({ state: { isLineMode: true } });
  await lines.submit('/role');
  expect(lines.text()).toBe('natter: no role is set; roles: critic\n');
});

test('/role sets the system prompt to the text of a role, and off removes it', async () => {
  const memory = await entered('/role critic', 'why?', '/role off', 'and?');
  expect(memory.requests[0]?.messages[0]).toEqual({ role: 'system', content: 'be strict' });
  expect((await entered('/role critic', 'why?', '/context')).text()).toMatch(
    /system prompt.* role critic/,
  );
  expect(memory.requests[1]?.messages[0]?.role).toBe('user');
});

test('/role refuses a name without a file', async () => {
  const memory = await entered('/role pirate');
  expect(memory.text()).toContain('there is no role "pirate"');
});

test('the window is compared with the tokens that the service counted', async () => {
  const usage = { prompt_tokens: 127_990, completion_tokens: 1, total_tokens: 127_991 };
  const counted = replying([received('four')], { usage });
  const memory = openMemorySession({ replies: [counted, saying('2')] });
  await memory.submit('why?', 'and?');
  expect(memory.text()).toMatch(
    /four\n[^]*about 12\d,\d+ tokens, .* origin.s window[^]*\norigin: 2\n/,
  );
});

test('/role off without a role keeps the system prompt', async () => {
  const memory = await entered('/role off', '/system Be terse.', '/role off', '/system');
  expect(memory.text()).toContain('natter: no role is set\n');
  expect(memory.text()).toContain('no role is set; /system off removes the system prompt');
  expect(memory.session.state().settings.system).toBe('Be terse.');
});

test.each([
  ['/role critic', 'the role critic stays; /role off removes it'],
  ['/system Be terse.', 'the system prompt stays; /system off removes it'],
])('/new after %s names what stays', async (line, text) => {
  expect((await entered(line, '/new')).text()).toContain(text);
  expect((await entered('/new')).text()).not.toContain('stays');
});

test.each([
  ['stop = ["a", "b"]', 'stop is now ["a","b"]'],
  ['user=ann', 'user is now "ann"'],
  ['temperature=warm', 'temperature needs a number from 0 on'],
  ['top_p=', '/param needs a name and a value\n  /param top_p=0.9'],
  ['model=x', 'the parameter model is set by natter itself\n  /model NAME sets it'],
  ['thinking=off', 'thinking is now "off"'],
  ['user=ann lee', 'the value of user must be JSON or a single word\n  /param user="two words"'],
])('/param %s is used or refused', async (text, said) => {
  expect((await entered(`/param ${text}`)).text()).toContain(`natter: ${said}`);
});
