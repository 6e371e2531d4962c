import { expect, test } from 'vitest';
import { Failure } from '../../src/failure.ts';
import { withAttached } from '../../src/repl/files/attachments.ts';
import type { ReplState } from '../../src/repl/state.ts';
import { step } from '../../src/repl/step.ts';
import {
  failing,
  hanging,
  openMemorySession,
  type Reply,
  received,
  replying,
  saying,
} from '../support/memory-session.ts';
import {
  conversationOf,
  lineEntered,
  lineInterrupted,
  play,
  stateOf,
} from '../support/repl-state.ts';

/** Longer than a summary. */
const first = 'one, and one more, '.repeat(30);

/** A session whose prompts `one?` … `three?` were answered; then the lines get these replies. */
async function threePrompts(replies: readonly Reply[], ...lines: readonly string[]) {
  const memory = openMemorySession({
    replies: [saying(first), saying('2'), saying('3'), ...replies],
  });
  await memory.submit('one?', 'two?', 'three?', ...lines);
  return memory;
}

const summary = saying('of one ', 'and two');
const sentSummary =
  'Summary of the earlier conversation:\n\n<summary>\nof one and two\n</summary>\n\n';

test.each<[string, readonly string[], readonly Reply[], readonly string[], string]>([
  [
    'sends a summary instead of the turns before the last prompt',
    ['/compact', 'four?'],
    [summary],
    [`${sentSummary}three?`, '3', 'four?'],
    'summary: of one and two\nnatter: the summary is sent instead of 2 answered prompts, and 1 later one as before',
  ],
  [
    'asks for a second summary of the first one and the turns since',
    ['/compact', 'four?', '/compact'],
    [summary, saying('4'), saying('all')],
    [`${sentSummary}three?`, '3'],
    'sent instead of 3 answered prompts',
  ],
  [
    'is undone by /undo, which removes the last prompt when it is entered again',
    ['/compact', '/undo', '/undo', 'again?'],
    [summary],
    ['one?', first, 'two?', '2', 'again?'],
    'the summary is removed; the earlier turns are sent again\n',
  ],
  [
    'is refused right after a summary',
    ['/compact', '/compact'],
    [summary],
    ['one?', first, 'two?', '2'],
    'nothing was sent since the last summary',
  ],
])('/compact %s', async (_what, lines, replies, sent, said) => {
  const memory = await threePrompts(replies, ...lines);
  expect(memory.sent().slice(0, sent.length)).toEqual(sent);
  expect(memory.text()).toContain(said);
});

test('the conversation keeps its turns after /compact, and no summary after /undo', async () => {
  const memory = await threePrompts([summary], '/compact');
  const contents = ['one?', first, 'two?', '2', 'three?', '3'];
  expect(memory.path().map(({ content }) => content)).toEqual(contents);
  await memory.submit('/undo');
  expect(memory.session.state().conversation.summaries).toBeUndefined();
});

test('/compact asks for what the user wants to keep, without the limit of answers', async () => {
  const lines = ['/max-tokens 10', '/compact the names of the rivers'];
  const memory = await threePrompts([summary], ...lines);
  expect(memory.sent().at(-1)).toMatch(/\n\nAbove all, keep: the names of the rivers$/);
  expect(memory.sent()).toHaveLength(5);
  expect(memory.requests.at(-1)).not.toHaveProperty('max_tokens');
});

const finishing = (text: string, finishReason: string) =>
  replying([received(text)], { finishReason });
const broken = new Failure('incomplete', 'the stream broke', { remedy: { code: 'send-again' } });

test.each([
  ['fails', failing(new Failure('server_error', 'it failed')), 'it failed'],
  ['breaks', failing(broken), 'the conversation is unchanged; /compact asks again'],
  ['is empty', finishing(' ', 'stop'), 'the summary is empty'],
  ['is longer than the turns', saying('one '.repeat(300)), 'is not shorter than the turns'],
  ['is cut', finishing('of o', 'length'), 'the summary reached the token limit'],
  ['is filtered', finishing('of o', 'content_filter'), 'the summary ended with content_filter'],
  ['is refused', replying([{ type: 'refusal-received', text: 'no' }]), 'the model refused'],
])('a summary that %s changes nothing and says so', async (_how, reply, message) => {
  const memory = await threePrompts([reply, saying('4')], '/compact');
  expect(memory.text().slice(memory.text().lastIndexOf('natter: '))).toContain(message);
  expect(memory.text()).toMatch(/the conversation is unchanged[^\n]*\n$/);
  await memory.submit('four?');
  expect(memory.sent()).toHaveLength(7);
});

test('a stopped summary changes nothing', async () => {
  const memory = await threePrompts([hanging('of one')]);
  memory.enter('/compact');
  await expect.poll(() => memory.text()).toContain('summary: of one');
  memory.session.update(lineInterrupted);
  await memory.idle();
  expect(memory.text()).toMatch(/stopped; the conversation is unchanged\n$/);
  expect(memory.session.state().conversation.summaries).toBeUndefined();
});

test('/context shows the summary, and the files of the next prompt', async () => {
  const memory = await threePrompts([summary], '/compact', '/system be brief');
  const file = { name: 'a.md', content: 'word '.repeat(100) };
  memory.session.update((state) => step(withAttached(state, file)));
  await memory.submit('/context');
  expect(memory.text()).toMatch(
    /\nsystem prompt +# +about \d+ +0%\nsummary +# +about \d+ +0% {2}of 2 prompts\nturns +# +about \d+ +0% {2}1 prompt\nattached +# +about \d+ +0% {2}1 file of the next prompt\nfree +#+ +about 127,\d+ +100% {2}including room for /,
  );
  await memory.submit('/context summary');
  expect(memory.text()).toMatch(/summary: of one and two\n$/);
});

const prompt = 'word '.repeat(200);
const conversation = conversationOf(
  { role: 'system', content: prompt },
  { role: 'user', content: 'why?' },
  { role: 'assistant', content: prompt, usage: { total_tokens: 400 } },
);

function shown(changes: Partial<ReplState>): readonly string[] {
  const before = stateOf();
  const state = stateOf({
    conversation,
    context: { tokens: 400, isEstimate: false },
    settings: { ...before.settings, system: prompt, maxTokens: 200 },
    service: { ...before.service, windows: new Map([['origin', 1000]]) },
    ...changes,
  });
  return play(state, lineEntered('/context')).printed[0]?.split('\n') ?? [];
}

test('the parts of the window have bars, tokens and shares', () => {
  expect(shown({ unicode: true }).slice(0, 6)).toEqual([
    '40% of the window of origin: 400 of 1,000 tokens',
    'part                    tokens  share',
    'system prompt  ███▏       ~198    20%',
    'turns          ███▎       ~202    20%  1 prompt',
    'answer room    ███▎       ~200    20%',
    'free           ██████▍    ~400    40%',
  ]);
  expect(shown({}).join('')).toMatch(/^[\x20-\x7E]+$/);
});

test('the parts have no share of an unknown window', () => {
  const settings = { ...stateOf().settings, model: 'unknown' };
  expect(shown({ settings }).slice(0, 3)).toEqual([
    'the conversation has 400 tokens; the window of unknown is not known',
    'part   tokens',
    expect.stringMatching(/^turns +~400 +1 prompt$/),
  ]);
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
  expect(memory.text()).toContain('there is no answer to summarize yet');
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
