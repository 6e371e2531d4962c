import { describe, expect, test } from 'vitest';
import { createMemorySession, openMemorySession } from '../../support/memory-session.ts';
import { composed, enter, typed } from '../../support/repl-state.ts';

describe('Y18: a mention that names no file', () => {
  test.each([
    ['see @typo.md', '@typo.md is not a file'],
    ['see @src/', '@src/ is a folder'],
    ['@typo.md or @typo/a, @notes.md', '@typo.md is not a file; @typo/a is not a file'],
  ])('%j is asked about, and Enter sends it as it is', async (prompt, doubt) => {
    const { session, idle, text, requests } = createMemorySession();
    for (const action of [typed(prompt), enter]) session.dispatch(action);
    const { conversation } = await idle();
    expect(text()).toBe(`natter: ${doubt}\n  Enter sends it as it is\n`);
    expect(conversation.turns.size).toBe(0);
    expect(composed(session.state())).toBe(prompt);
    session.dispatch(enter);
    await idle();
    expect(requests[0]?.messages[0]?.content).toContain(prompt);
  });

  test('is asked about again once the prompt is changed', async () => {
    const { session, idle, requests } = createMemorySession();
    for (const action of [typed('see @typo.md'), enter]) session.dispatch(action);
    await idle();
    for (const action of [typed(' and @typo.ts'), enter]) session.dispatch(action);
    await idle();
    expect(requests).toEqual([]);
  });

  test('in line mode is sent by an empty line', async () => {
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

  test('keeps the place of a prompt that is edited', async () => {
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
])('%s after an at sign is sent as it is', async (_what, prompt) => {
  const { enter: line, idle, requests } = createMemorySession();
  line(prompt);
  await idle();
  expect(requests[0]?.messages[0]?.content).toBe(prompt);
});

test('what ends the sentence of a mention is no part of its path', async () => {
  const { enter: line, idle, requests } = createMemorySession();
  line('compare @notes.md, and (see) @more.md.');
  await idle();
  expect(requests[0]?.messages[0]?.content).toMatch(/<file name="notes.md">[^]*"more.md">/);
});
