import { expect, test } from 'vitest';
import { openMemorySession, received, replying, saying } from '../support/memory-session.ts';

async function entered(...lines: readonly string[]) {
  const memory = openMemorySession({});
  await memory.submit(...lines);
  return memory;
}

/** The lines that are entered, and what natter says to one of them. */
test.each<[readonly string[], string]>([
  [['/temperature 0.2', '/param top_p=0.9', '/param'], 'parameters: temperature=0.2, top_p=0.9; '],
  [['/temperature 0.2', '/temperature'], 'temperature=0.2\n'],
  [['/temperature 0.2', '/temperature off'], 'temperature is no longer sent\n'],
  [['/temperature'], 'no parameter temperature is sent; /param temperature=VALUE sets it\n'],
  [['/param top_k off'], 'no parameter top_k is sent; /param top_k=VALUE sets it\n'],
  [['/param max_tokens=500', '/param'], 'parameters: max_tokens=500; /param NAME off removes one'],
  [['/param max_tokens=many'], 'max_tokens must be a whole number'],
  [['/param stop = ["a", "b"]'], 'stop is now ["a","b"]'],
  [['/param user=ann'], 'user is now "ann"'],
  [['/param temperature=warm'], 'temperature needs a number from 0 on'],
  [['/param top_p='], '/param needs a name and a value\n  /param top_p=0.9'],
  [['/param model=x'], 'the parameter model is set by natter itself\n  /model NAME sets it'],
  [['/param thinking=off'], 'thinking is now "off"'],
  [['/param user=a b'], 'of user must be JSON or a single word\n  /param user="two words"'],
  [['/reasoning minimize'], 'one row says how long the model reasoned\n'],
  [['/reasoning loud'], 'unknown mode loud\n  available: show, minimize, hide'],
  [['/time'], 'the transcript shows when prompts are sent; /time off'],
  [['/time never'], 'unknown word never\n  available: on, off'],
  [['/role pirate'], 'there is no role "pirate"'],
  [['/role off'], 'no role is set\n'],
  [['/system Be terse.', '/role off'], 'no role is set; /system off removes the system prompt'],
  [['/role critic', '/new'], 'the role critic stays; /role off removes it'],
  [['/system Be terse.', '/new'], 'the system prompt stays; /system off removes it'],
])('R12: %j says %j', async (lines, said) => {
  expect((await entered(...lines)).text()).toContain(said);
});

test('/new names nothing that stays without a role or a system prompt', async () => {
  expect((await entered('/new')).text()).not.toContain('stays');
});

test('/temperature and /param set fields of the next requests, and the conversation keeps them', async () => {
  const memory = await entered('/temperature 0.2', '/param top_p=0.9', 'why?');
  expect(memory.requests[0]?.params).toEqual({ temperature: 0.2, top_p: 0.9 });
  const { conversation } = memory.session.state();
  expect(conversation.parameters).toEqual({ set: { temperature: 0.2, top_p: 0.9 }, removed: [] });
  const { settings } = await memory.submit('/temperature off');
  expect(settings.parameters).toEqual({ set: { top_p: 0.9 }, removed: ['temperature'] });
});

test('R12: /param sets and removes the token limit, too', async () => {
  const { requests } = await entered(
    '/param max_tokens=5',
    'why?',
    '/param max_tokens off',
    'and?',
  );
  expect(requests.map(({ max_tokens }) => max_tokens)).toEqual([5, undefined]);
});

test('/reasoning asks what is shown of it', async () => {
  const memory = await entered('/reasoning minimize', '/reasoning');
  expect(memory.session.state().dialog).toMatchObject({
    title: 'one row says how long the model reasoned',
    selected: 1,
  });
  expect((await memory.submit('1')).reasoning).toBe('show');
});

test('/time switches the times of prompts, which line mode speaks', async () => {
  const memory = await entered('/time', 'why?');
  expect(memory.text()).toMatch(/natter: sent at \d\d:\d\d, \w+day \d+ \w+\n$/);
  expect((await memory.submit('/time')).settings.times).toBe('off');
  expect((await memory.submit('/time on', '/time off')).settings.times).toBe('off');
});

test('R10: /role opens a list of the roles, and in line mode prints it', async () => {
  const memory = await entered('/role critic', '/role');
  const { dialog } = memory.session.state();
  expect(dialog).toMatchObject({ title: 'the role is critic', choices: [{ label: 'critic' }] });
  const lines = openMemorySession({ state: { isLineMode: true } });
  await lines.submit('/role');
  expect(lines.text()).toBe('natter: no role is set; roles: critic\n');
});

test('/role sets the system prompt to the text of a role, and off removes only that', async () => {
  const memory = await entered('/role critic', 'why?', '/context', '/role off', 'and?');
  expect(memory.requests[0]?.messages[0]).toEqual({ role: 'system', content: 'be strict' });
  expect(memory.text()).toMatch(/system prompt.* role critic/);
  expect(memory.requests[1]?.messages[0]?.role).toBe('user');
  const { settings } = await memory.submit('/system Be terse.', '/role off');
  expect(settings.system).toBe('Be terse.');
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
