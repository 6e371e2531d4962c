import { expect, test } from 'vitest';
import { Failure } from '../../../src/failure.ts';
import { withAttached } from '../../../src/repl/files/attachments.ts';
import { step } from '../../../src/repl/step.ts';
import {
  failing,
  hanging,
  type MemorySession,
  openMemorySession,
  type Reply,
  received,
  replying,
  saying,
} from '../../support/memory-session.ts';
import { lineInterrupted } from '../../support/repl-state.ts';

/** Longer than a summary. */
const first = 'one, and one more, '.repeat(30);

/** The prompts `one?` … `three?` with answers, then a reply for the summary and more. */
async function threePrompts(...replies: readonly Reply[]): Promise<MemorySession> {
  const memory = openMemorySession({
    replies: [saying(first), saying('2'), saying('3'), ...replies],
  });
  await memory.submit('one?', 'two?', 'three?');
  return memory;
}

const sent = 'Summary of the earlier conversation:\n\n<summary>\nof one and two\n</summary>\n\n';

const finishing = (text: string, finishReason: string) =>
  replying([received(text)], { finishReason });

test('/compact sends a summary instead of the turns before the last prompt', async () => {
  const memory = await threePrompts(saying('of one ', 'and two'), saying('4'));
  await memory.submit('/compact');
  expect(memory.text()).toContain(
    'summary: of one and two\nnatter: the summary is sent instead of 2 answered prompts, and 1 later one as before',
  );
  await memory.submit('four?');
  expect(memory.sent()).toEqual([`${sent}three?`, '3', 'four?']);
  const kept = memory.path().slice(0, 6);
  expect(kept.map(({ content }) => content)).toEqual(['one?', first, 'two?', '2', 'three?', '3']);
});

test('/compact asks for what the user wants to keep, without the limit of answers', async () => {
  const memory = await threePrompts(saying('of one and two'));
  await memory.submit('/max-tokens 10', '/compact the names of the rivers');
  expect(memory.sent().at(-1)).toMatch(/\n\nAbove all, keep: the names of the rivers$/);
  expect(memory.sent()).toHaveLength(5);
  expect(memory.requests.at(-1)).not.toHaveProperty('max_tokens');
});

test('/undo removes the summary first, and then the last prompt', async () => {
  const memory = await threePrompts(saying('of one and two'), saying('4'));
  await memory.submit('/compact', '/undo');
  expect(memory.text()).toMatch(/the summary is removed; the earlier turns are sent again\n$/);
  expect(memory.session.state().conversation.summaries).toBeUndefined();
  await memory.submit('/undo', 'again?');
  expect(memory.sent()).toEqual(['one?', first, 'two?', '2', 'again?']);
});

test('a second summary has the first one and the turns since', async () => {
  const memory = await threePrompts(saying('of one and two'), saying('4'), saying('all'));
  await memory.submit('/compact', 'four?', '/compact');
  expect(memory.sent().slice(0, 2)).toEqual([`${sent}three?`, '3']);
  expect(memory.text()).toContain('sent instead of 3 answered prompts');
});

test.each([
  [
    'fails',
    failing(new Failure('server_error', 'the service answered 500')),
    'the service answered 500',
  ],
  ['is empty', finishing(' ', 'stop'), 'the summary is empty'],
  ['is longer than the turns', saying('one '.repeat(300)), 'is not shorter than the turns'],
  ['is cut', finishing('of o', 'length'), 'the summary reached the token limit'],
  ['is filtered', finishing('of o', 'content_filter'), 'the summary ended with content_filter'],
  ['is refused', replying([{ type: 'refusal-received', text: 'no' }]), 'the model refused'],
])('a summary that %s changes nothing and says so', async (_how, reply, message) => {
  const memory = await threePrompts(reply, saying('4'));
  await memory.submit('/compact');
  expect(memory.text().slice(memory.text().lastIndexOf('natter: '))).toContain(message);
  expect(memory.text()).toMatch(/the conversation is unchanged[^\n]*\n$/);
  await memory.submit('four?');
  expect(memory.sent()).toHaveLength(7);
});

test('a broken summary is asked for again with /compact, not with a prompt', async () => {
  const broken = new Failure('incomplete', 'the stream broke', { remedy: { code: 'send-again' } });
  const memory = await threePrompts(failing(broken));
  await memory.submit('/compact');
  expect(memory.text()).toMatch(/the conversation is unchanged; \/compact asks again\n$/);
});

test('a stopped summary changes nothing', async () => {
  const memory = await threePrompts(hanging('of one'));
  memory.enter('/compact');
  await expect.poll(() => memory.text()).toContain('summary: of one');
  memory.session.update(lineInterrupted);
  await memory.idle();
  expect(memory.text()).toMatch(/stopped; the conversation is unchanged\n$/);
  expect(memory.session.state().conversation.summaries).toBeUndefined();
});

test('/compact is refused without an answer, and again right after a summary', async () => {
  const empty = openMemorySession({});
  await empty.submit('/compact');
  expect(empty.text()).toContain('there is no answer to summarize yet');
  const memory = await threePrompts(saying('of one and two'));
  await memory.submit('/compact', '/compact');
  expect(memory.text()).toContain('nothing was sent since the last summary');
  expect(memory.requests).toHaveLength(4);
});

test('/context shows the parts of the window with their tokens', async () => {
  const memory = await threePrompts(saying('of one and two'));
  await memory.submit('/compact', '/system be brief', '/context');
  expect(memory.text()).toMatch(
    /0% of the window of origin: about \d+ of 128,000 tokens\npart [^\n]*\nsystem prompt +# +about \d+ +0%\nsummary +# +about \d+ +0% {2}of 2 prompts\nturns +# +about \d+ +0% {2}1 prompt\nfree +#+ +about 127,\d+ +100% {2}including room for /,
  );
  await memory.submit('/context summary');
  expect(memory.text()).toMatch(/summary: of one and two\n$/);
});

test('/context shows the files of the next prompt', async () => {
  const memory = openMemorySession({});
  const file = { name: 'a.md', content: 'word '.repeat(100) };
  memory.session.update((state) => step(withAttached(state, file)));
  await memory.submit('/context');
  expect(memory.text()).toMatch(/attached +# +about \d+ +0% {2}1 file of the next prompt\n/);
});

const service = {
  address: 'https://api.example.com',
  isSandbox: false,
  hasKey: true,
  windows: new Map([['origin', 900]]),
} as const;

/** Fills 80% of the window. */
const long = 'word '.repeat(600);

/** A session with a small window and automatic summaries. */
const automatic = (...replies: readonly Reply[]) =>
  openMemorySession({
    replies,
    state: { service, compaction: { isAutomatic: true, hasFailed: false } },
  });

test('at 80% of the window a notice names /compact, and the setting makes the summary at once', async () => {
  const asked = openMemorySession({ replies: [saying(long)], state: { service } });
  await asked.submit('why?');
  expect(asked.text()).toMatch(
    /% of origin's window is used .*; \/compact replaces the older turns/,
  );
  expect(asked.requests).toHaveLength(1);
  const memory = automatic(saying(long), saying('short'), saying('2'));
  await memory.submit('why?');
  expect(memory.requests).toHaveLength(2);
  expect(memory.text()).not.toContain('/compact replaces');
  await memory.submit('and?');
  expect(memory.sent()).toHaveLength(1);
  expect(memory.requests).toHaveLength(3);
});

test('R2: a prompt that is refused in a full window is not sent again, but /compact and /undo are named', async () => {
  const refused = new Failure('invalid_request', 'the prompt is too long (400)', { status: 400 });
  const memory = openMemorySession({
    replies: [saying(long), failing(refused), failing(refused)],
    state: { service },
  });
  await memory.submit('why?', 'and?');
  const [, after = ''] = memory.text().split('the prompt is too long (400)');
  expect(after).toMatch(/^\n {2}\/compact sends a summary .*, \/undo removes the last prompt/);
  expect(after).not.toContain('sends it again');
});

test.each([
  ['/compact', [saying(long), saying('short'), saying(long)]],
  ['/undo', [saying(long), saying(long)]],
])('a window that is full again after %s is reported again', async (line, replies) => {
  const memory = openMemorySession({ replies, state: { service } });
  await memory.submit('why?', line, 'and?');
  expect(memory.text().match(/% of origin's window is used/g)).toHaveLength(2);
});

test('an automatic summary that leaves the window nearly full is reported and not repeated', async () => {
  const memory = automatic(
    saying(long + long),
    saying(`${long}${'word '.repeat(100)}`),
    saying('2'),
  );
  await memory.submit('why?');
  expect(memory.text()).toMatch(
    /% of origin's window is still used \(.*\); \/new starts an empty conversation/,
  );
  await memory.submit('and?');
  expect(memory.requests).toHaveLength(3);
});

test('a /compact without anything to summarize leaves automatic summaries on', async () => {
  const memory = automatic(saying(long), saying('short'));
  await memory.submit('/compact', 'why?');
  expect(memory.requests).toHaveLength(2);
});

test('a failed automatic summary is not tried again before a new conversation', async () => {
  const failed = failing(new Failure('server_error', 'no'));
  const memory = automatic(saying(long), failed, saying('2'), saying(long), saying('of long'));
  await memory.submit('why?', 'and?');
  expect(memory.requests).toHaveLength(3);
  await memory.submit('/new', 'and?');
  expect(memory.requests).toHaveLength(5);
  expect(memory.text()).toContain('summary: of long');
});
