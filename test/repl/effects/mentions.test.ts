import { describe, expect, test } from 'vitest';
import { showConversation } from '../../../src/repl/effects/show-conversation.ts';
import { createMemorySession, openMemorySession } from '../../support/memory-session.ts';
import { composed, enter, typed } from '../../support/repl-state.ts';

describe('Y18: a mention of a missing file', () => {
  test.each([
    ['see @typo.md', '@typo.md is not a file'],
    ['see @src/', '@src/ is a folder'],
    ['@typo.md or @typo/a, @notes.md', '@typo.md is not a file; @typo/a is not a file'],
  ])('%j needs confirmation; Enter sends it as it is', async (prompt, problem) => {
    const { session, idle, text, requests } = createMemorySession();
    for (const action of [typed(prompt), enter]) session.dispatch(action);
    const { conversation } = await idle();
    expect(text()).toBe(`natter: ${problem}\n  Enter sends it as it is\n`);
    expect(conversation.turns.size).toBe(0);
    expect(composed(session.state())).toBe(prompt);
    session.dispatch(enter);
    await idle();
    expect(requests[0]?.messages[0]?.content).toContain(prompt);
  });

  test('needs confirmation again after the prompt has changed', async () => {
    const { session, idle, requests } = createMemorySession();
    for (const action of [typed('see @typo.md'), enter]) session.dispatch(action);
    await idle();
    for (const action of [typed(' and @typo.ts'), enter]) session.dispatch(action);
    await idle();
    expect(requests).toEqual([]);
  });

  test('is confirmed by an empty line in line mode', async () => {
    const memory = openMemorySession({ state: { isLineMode: true } });
    memory.enter('see @typo.md');
    await memory.idle();
    expect(memory.text()).toBe(
      'natter: @typo.md is not a file\n  an empty line sends it as it is\n',
    );
    memory.enter('');
    await memory.idle();
    expect(memory.requests[0]?.messages[0]?.content).toBe('see @typo.md');
  });

  test('keeps the place of an edited prompt', async () => {
    const { session, enter: line, idle, requests } = createMemorySession();
    line('one');
    await idle();
    line('/edit');
    for (const action of [typed(' @typo.md'), enter]) session.dispatch(action);
    await idle();
    session.dispatch(enter);
    await idle();
    expect(requests[1]?.messages).toEqual([{ role: 'user', content: 'one @typo.md' }]);
  });
});

test.each([
  ['a name', 'ask @someone'],
  ['a word', 'what is @media in CSS?'],
])('sends %s after an at sign unchanged', async (_what, prompt) => {
  const { enter: line, idle, requests } = createMemorySession();
  line(prompt);
  await idle();
  expect(requests[0]?.messages[0]?.content).toBe(prompt);
});

test('punctuation after a mention is not part of its path', async () => {
  const { enter: line, idle, requests } = createMemorySession();
  line('compare @notes.md, and (see) @more.md.');
  await idle();
  expect(requests[0]?.messages[0]?.content).toMatch(/<file name="notes.md">[^]*"more.md">/);
});

test('an edited prompt sends a mentioned file once and unchanged', async () => {
  const { session, enter: line, idle, requests } = createMemorySession();
  line('see @notes.md');
  await idle();
  line('/edit');
  session.dispatch(enter);
  await idle();
  expect(requests[1]?.messages).toEqual(requests[0]?.messages);
});

test('a prompt is shown again with the names of its files and a marker for long text', async () => {
  const { session, enter: line, idle } = createMemorySession();
  line(`see @notes.md\n\n${'line\n'.repeat(100)}`);
  await idle();
  expect(showConversation(session.state().conversation).slice(1, 3)).toEqual([
    { type: 'prompt', text: 'see @notes.md\n\n[paste #1, 100 lines]', needsEcho: true },
    { type: 'notice', text: 'attached notes.md (20 bytes)' },
  ]);
});
