import { expect, test } from 'vitest';
import type { ChatEvent } from '../../../src/client/events.ts';
import { pathOf } from '../../../src/conversation/tree.ts';
import { Failure } from '../../../src/failure.ts';
import { failing, hanging, openMemorySession, type Reply } from '../../support/memory-session.ts';
import type { ReplState } from '../../../src/repl/state.ts';

/** An answer with usage and timing. */
function measured(text: string, tokens: number | undefined, total: number): Reply {
  return async function* reply() {
    const finished: ChatEvent = {
      type: 'answer-finished',
      finishReason: 'stop',
      attempts: 1,
      ...(tokens === undefined ? {} : { usage: { prompt_tokens: 3, completion_tokens: tokens } }),
      timing: { firstText: 20, total },
    };
    yield { type: 'text-received', text, deltas: [text] };
    yield finished;
  };
}

async function compared(...replies: Reply[]) {
  return comparedIn({ isLineMode: true }, ...replies);
}

async function comparedIn(state: Partial<ReplState>, ...others: Reply[]) {
  const replies = [measured('of origin', 40, 1020), ...others];
  const memory = openMemorySession({ replies, state });
  memory.enter('why?');
  await memory.idle();
  memory.enter('/compare');
  return memory;
}

const last = (memory: Awaited<ReturnType<typeof compared>>) =>
  pathOf(memory.session.state().conversation).at(-1);

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
  [40, /^version 1: origin, first text after 20 ms, .*\nversion 2: nextgen, first text/m],
])(
  'R13: in %i columns the figures of /compare are a table if that fits',
  async (columns, figures) => {
    const memory = await comparedIn({ columns }, measured('of nextgen', 7, 2020));
    await memory.idle();
    expect(memory.text()).toMatch(figures);
  },
);

test('/version selects an answer, and the session keeps its model', async () => {
  const memory = await compared(measured('of nextgen', 5, 100));
  await memory.idle();
  memory.enter('/version 1');
  await memory.idle();
  expect(last(memory)).toMatchObject({ model: 'origin', content: 'of origin' });
  memory.enter('and?');
  await memory.idle();
  expect(memory.requests.at(-1)).toMatchObject({ model: 'origin' });
  expect(memory.requests.at(-1)?.messages[1]).toEqual({ role: 'assistant', content: 'of origin' });
});

test('a failed comparison keeps the first answer', async () => {
  const memory = await compared(failing(new Failure('not_found', 'there is no such model')));
  await memory.idle();
  expect(last(memory)).toMatchObject({ content: 'of origin' });
  expect(memory.text()).toMatch(/there is no such model\n {2}\/compare tries again\n$/);
});

test('a stopped comparison is kept as a version', async () => {
  const memory = await compared(hanging('half'));
  await expect.poll(() => memory.text()).toContain('nextgen: half');
  memory.session.dispatch({ type: 'interrupted', now: 0 });
  await memory.idle();
  expect(memory.text()).toMatch(
    /nextgen: half\nnatter: this is version 2 of 2 .*\nnatter: stopped; \/version switches back\n$/,
  );
  memory.enter('/version');
  await memory.idle();
  expect(last(memory)).toMatchObject({ content: 'of origin' });
});
