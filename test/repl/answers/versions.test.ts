import { describe, expect, test } from 'vitest';
import { sendPrompt } from '../../../src/repl/answers/send-prompt.ts';
import { selectTurn } from '../../../src/repl/answers/versions.ts';
import type { Conversation, Turn } from '../../../src/conversation/tree.ts';
import { Failure } from '../../../src/failure.ts';
import { panelOf } from '../../../src/repl/commands.ts';
import type { ReplState } from '../../../src/repl/state.ts';
import {
  failing,
  hanging,
  openMemorySession,
  received,
  replying,
  type Reply,
} from '../../support/memory-session.ts';
import {
  conversationOf,
  effectsOf,
  enter,
  lineInterrupted,
  pressed,
  play,
  stateOf,
} from '../../support/repl-state.ts';

/** Turns in order of creation; the last child of each turn is selected. */
function treeOf(...values: readonly Pick<Turn, 'id' | 'parent' | 'role' | 'content'>[]) {
  const createdAt = new Date(0);
  return {
    ...conversationOf(),
    turns: new Map(values.map((value) => [value.id, { ...value, createdAt }])),
    selection: new Map(values.map(({ id, parent }) => [parent, id])),
  } satisfies Conversation;
}

const prompt = (id: string, parent?: string) =>
  ({ id, parent, role: 'user', content: `prompt ${id}` }) as const;
const answer = (id: string, parent: string) =>
  ({ id, parent, role: 'assistant', content: `answer ${id}` }) as const;

const single = stateOf({ conversation: treeOf(prompt('p'), answer('a', 'p')) });
const edited = stateOf({
  conversation: treeOf(
    prompt('p'),
    answer('a', 'p'),
    prompt('q'),
    answer('b', 'q'),
    answer('c', 'q'),
  ),
});
const resent = stateOf({
  conversation: treeOf(
    prompt('p'),
    answer('a', 'p'),
    { id: 's', parent: undefined, role: 'system', content: 'be brief' },
    prompt('q', 's'),
    answer('b', 'q'),
  ),
});

const command = (state: ReplState, line: string) => play(state, line, enter);
const chosen = ({ effects }: ReturnType<typeof play>) =>
  effectsOf(effects, selectTurn).map(({ turnId }) => turnId);

test.each<[string, ReplState, string | undefined, string | undefined]>([
  ['/version 1', edited, 'a', undefined],
  ['/version 2', edited, 'b', undefined],
  ['/version', edited, 'a', undefined],
  // A prompt with a different system prompt is a version, too.
  ['/version', resent, 'a', undefined],
  ['/version 3', edited, undefined, 'this is version 3 of 3'],
  ['/version 5', edited, undefined, 'there are versions 1 to 3'],
  ['/version x', edited, undefined, 'there are versions 1 to 3'],
  ['/version', single, undefined, 'there is only one version'],
  ['/version', stateOf(), undefined, 'there is no prompt yet'],
])('%s reaches the answers of every version of the prompt', (line, state, turnId, said) => {
  const done = command(state, line);
  expect([chosen(done)[0], done.printed[0]]).toEqual([turnId, said]);
});

describe('the keys for versions', () => {
  const previous = pressed('left', { shift: true });

  test.each([
    ['Shift+Right', pressed('right', { shift: true }), 'a'],
    ['Alt+.', pressed('.', { alt: true }), 'a'],
    ['Shift+Left', previous, 'b'],
    ['Alt+,', pressed(',', { alt: true }), 'b'],
  ])('%s switches', (_name, key, turnId) => {
    expect(chosen(play(edited, key))).toEqual([turnId]);
  });

  test('R6: without versions, say so below the composer and print nothing', () => {
    const { state, effects } = play(single, previous);
    expect(effects).toEqual([]);
    expect(panelOf(state)).toEqual(['no other version yet; /retry adds one']);
    expect(panelOf(play(state, 'a').state)).toEqual([]);
  });

  test('do nothing during an answer', () => {
    const { state } = play(edited, 'next', enter);
    expect(play(state, previous).effects).toEqual([]);
  });

  test('keep the place of a prompt that is being edited', () => {
    const switched = play(command(edited, '/edit').state, previous);
    expect(chosen(switched)).toEqual(['b']);
    expect(switched.state.branch).toEqual({ parent: undefined, reason: 'edit' });
  });
});

/** A session whose last answer is from `model`. */
function answeredBy(model: string, ...before: readonly Pick<Turn, 'role' | 'content'>[]) {
  const turns = [
    ...before,
    { role: 'user', content: 'why?' } as const,
    { role: 'assistant', content: 'because', model } as const,
  ];
  return stateOf({ conversation: conversationOf(...turns) });
}

describe('/compare sends the prompt to', () => {
  test.each([
    ['nextgen', 'origin', '/compare'],
    ['origin', 'nextgen', '/compare'],
    ['origin', 'origin', '/compare origin'],
    ['mistral:7b', 'llama3', '/compare mistral:7b'],
    // The service reports a different name for origin.
    ['nextgen', 'origin-2026-11', '/compare'],
  ])('%s after an answer from %s with %s', (model, answered, line) => {
    const { state, effects, printed } = command(answeredBy(answered), line);
    const [send] = effectsOf(effects, sendPrompt);
    expect(send?.prompt).toEqual({ type: 'repeat', turnId: 't1' });
    expect(send?.settings.model).toBe(model);
    expect(state.activity).toMatchObject({ model, comparedWith: 't2' });
    expect(state.settings.model).toBe('origin');
    expect(printed).toContain(`${model} answers the same prompt`);
  });

  test('a model with the system prompt of the first answer', () => {
    const brief = answeredBy('origin', { role: 'system', content: 'be brief' });
    const settings = { ...brief.settings, system: 'be long' };
    const { effects } = command({ ...brief, settings }, '/compare');
    expect(effectsOf(effects, sendPrompt)[0]?.settings.system).toBe('be brief');
  });
});

const elsewhere = answeredBy('llama3');

test.each<[string, ReplState, string, string]>([
  ['without a prompt', stateOf(), '/compare', 'there is no answer to compare with'],
  [
    'without an answer',
    stateOf({ conversation: conversationOf({ role: 'user', content: 'why?' }) }),
    '/compare',
    'there is no answer to compare with',
  ],
  ['for an id with spaces', elsewhere, '/compare a b', 'a model id cannot contain spaces'],
  [
    'if the other model is unknown',
    { ...elsewhere, settings: { ...elsewhere.settings, model: 'llama3' } },
    '/compare',
    '/compare needs a model',
  ],
])('/compare sends nothing %s', (_, state, line, message) => {
  expect(command(state, line)).toMatchObject({ sent: [], printed: [message] });
});

/** An answer with usage and timing. */
const measured = (text: string, tokens: number | undefined, total: number) =>
  replying([received(text)], {
    timing: { firstText: 20, total },
    ...(tokens !== undefined && { usage: { prompt_tokens: 3, completion_tokens: tokens } }),
  });

async function compared(reply: Reply, state: Partial<ReplState> = { isLineMode: true }) {
  const memory = openMemorySession({ replies: [measured('of origin', 40, 1020), reply], state });
  await memory.submit('why?');
  memory.enter('/compare');
  return memory;
}

test('/compare shows the answer of the other model as a version, with figures for both', async () => {
  const memory = await compared(measured('of nextgen', undefined, 2020));
  await memory.idle();
  expect(memory.text()).toBe(
    [
      'You: why?',
      'origin: of origin',
      'natter: nextgen answers the same prompt',
      'nextgen: of nextgen',
      'natter:',
      'version 1: origin, first text after 20 ms, 40 tokens a second, 3 tokens in, 40 out, 1.0 s, stop',
      'version 2: nextgen, first text after 20 ms, about 2 tokens a second, about 3 out, 2.0 s, stop',
      'natter: this is version 2 of 2 (1 by origin, 2 by nextgen); /version switches',
      '',
    ].join('\n'),
  );
  expect(memory.requests.map(({ model, messages }) => [model, messages.length])).toEqual([
    ['origin', 1],
    ['nextgen', 1],
  ]);
});

test.each([
  [80, /^model +first text .*\nversion 1: origin +20 ms .*\nversion 2: nextgen +20 ms/m],
  [40, /^version 1: origin, first text after\n {2}20 ms, .*\n[^]*^version 2: nextgen, first text/m],
])(
  'R13: in %i columns the figures of /compare are a table if that fits',
  async (columns, figures) => {
    const memory = await compared(measured('of nextgen', 7, 2020), { columns });
    await memory.idle();
    expect(memory.text()).toMatch(figures);
  },
);

test('/version selects an answer, and the session keeps its model', async () => {
  const memory = await compared(measured('of nextgen', 5, 100));
  await memory.idle();
  await memory.submit('/version 1');
  expect(memory.path().at(-1)).toMatchObject({ model: 'origin', content: 'of origin' });
  await memory.submit('and?');
  expect(memory.requests.at(-1)).toMatchObject({ model: 'origin' });
  expect(memory.sent()[1]).toBe('of origin');
});

test('a failed comparison keeps the first answer', async () => {
  const memory = await compared(failing(new Failure('not_found', 'there is no such model')));
  await memory.idle();
  expect(memory.path().at(-1)).toMatchObject({ content: 'of origin' });
  expect(memory.text()).toMatch(/there is no such model\n {2}\/compare tries again\n$/);
});

test('a stopped comparison is kept as a version', async () => {
  const memory = await compared(hanging('half'));
  await expect.poll(() => memory.text()).toContain('nextgen: half');
  memory.session.update(lineInterrupted);
  await memory.idle();
  expect(memory.text()).toMatch(
    /nextgen: half\nnatter: this is version 2 of 2 .*\nnatter: stopped; \/version switches back\n$/,
  );
  await memory.submit('/version');
  expect(memory.path().at(-1)).toMatchObject({ content: 'of origin' });
});
