import { describe, expect, test } from 'vitest';
import {
  showConversation,
  newConversation,
} from '../../../src/repl/conversations/conversations.ts';
import { runInApp } from '../../support/app.tsx';
import { createMemorySession, openMemorySession } from '../../support/memory-session.ts';
import { composed, effectsOf, enter, play, stateOf } from '../../support/repl-state.ts';

describe('Y18: a mention of a missing file', () => {
  test.each([
    ['see @typo.md', '@typo.md is not a file'],
    ['@typo.md or @typo-b.ts, @notes.md', '@typo.md is not a file; @typo-b.ts is not a file'],
    ['see @./typo', '@./typo is not a file'],
    ['see @in-heer.md', '@in-heer.md is not a file (did you mean @in-here.md?)'],
    ['see @docs/typo', '@docs/typo is not a file'],
    ['see @docs/sub', '@docs/sub is a folder; @docs/sub/ attaches its files'],
    ['see @typo/', '@typo/ is not a folder'],
    ['see @missing/', 'cannot attach missing/'],
    ['what is @missing.md', 'cannot attach missing.md'],
    ['see @https://example.com/missing.', 'cannot attach https://example.com/missing'],
  ])('%j needs confirmation; Enter sends the words without the file', async (prompt, problem) => {
    const { session, press, text, requests } = createMemorySession();
    const { conversation } = await press(prompt, enter);
    expect(text()).toBe(`natter: ${problem}\n  Enter sends these words without the file\n`);
    expect(conversation.turns.size).toBe(0);
    expect(composed(session.state())).toBe(prompt);
    await press(enter);
    expect(requests[0]?.messages[0]?.content).toContain(prompt);
  });

  test('needs confirmation again after the prompt has changed', async () => {
    const { press, requests } = createMemorySession();
    await press('see @typo.md', enter);
    await press(' and @typo.ts', enter);
    expect(requests).toEqual([]);
  });

  test('is confirmed by an empty line in line mode', async () => {
    const memory = openMemorySession({ state: { isLineMode: true } });
    await memory.submit('see @typo.md');
    expect(memory.text()).toBe(
      'natter: @typo.md is not a file\n  an empty line sends these words without the file\n',
    );
    await memory.submit('');
    expect(memory.requests[0]?.messages[0]?.content).toBe('see @typo.md');
  });

  test('keeps the place of an edited prompt', async () => {
    const { press, requests, submit } = createMemorySession();
    await submit('one', '/edit');
    await press(' @typo.md', enter);
    await press(enter);
    expect(requests[1]?.messages).toEqual([{ role: 'user', content: 'one @typo.md' }]);
  });
});

test.each([
  ['a name', 'ask @someone'],
  ['a word', 'what is @media in CSS?'],
  ['a decorator', 'where does @app.route("/") or @pytest.fixture come from?'],
  ['a package', 'why @types/node, @angular/core?'],
  ['an alias of a folder', 'the alias @/ of @/components/Button'],
  ['an account', 'ask @john.smith or @john@example.social'],
  ['a folder without a slash', 'ask the @docs team'],
])('sends %s after an at sign unchanged', async (_what, prompt) => {
  const { requests, submit } = createMemorySession();
  await submit(prompt);
  expect(requests[0]?.messages[0]?.content).toBe(prompt);
});

test('an edited prompt sends a mentioned file once and unchanged', async () => {
  const { press, requests, submit } = createMemorySession();
  await submit('see @notes.md', '/edit');
  await press(enter);
  expect(requests[1]?.messages).toEqual(requests[0]?.messages);
});

test('a prompt is shown again with the names of its files and a marker for long text', async () => {
  const { session, submit } = createMemorySession();
  await submit(`see @notes.md\n\n${'line\n'.repeat(100)}`);
  expect(showConversation(session.state()).slice(1, 3)).toEqual([
    { type: 'prompt', text: 'see @notes.md\n\n[paste #1, 100 lines]', needsEcho: true },
    { type: 'notice', text: 'attached notes.md (20 bytes)' },
  ]);
});

describe('a mention', () => {
  test('of a folder attaches its files, and shows their number', async () => {
    const { requests, text, submit } = createMemorySession();
    await submit('sum up @docs/, please');
    expect(requests[0]?.messages[0]?.content).toMatch(
      /^sum up @docs\/, please\n\n<file name="docs\/a.md">[^]*<file name="docs\/b.md">/,
    );
    expect(text()).toContain('natter: attached docs/: 2 files\n');
    expect(text()).not.toContain('attached docs/a.md');
  });

  test.each([
    ['a file', 'compare (see) @more.md.', 'more.md'],
    ['a pattern', 'sum up @src/*.ts.', 'src/*.ts'],
    ['an address', 'sum up @https://example.com/a_(b), please', 'https://example.com/a_(b)'],
  ])('of %s is attached without the punctuation after it', async (_what, prompt, name) => {
    const { requests, submit } = createMemorySession();
    await submit(prompt);
    expect(requests[0]?.messages[0]?.content).toContain(`<file name="${name}">`);
  });
});

test('/attach attaches a folder', async () => {
  const { text, submit } = createMemorySession();
  const { attachments } = await submit('/attach docs/');
  expect(attachments.map(({ name }) => name)).toEqual(['docs/a.md', 'docs/b.md']);
  expect(text()).toBe('natter: attached docs/: 2 files\n');
});

test('a prompt with many files is shown with their number', async () => {
  const files = Array.from({ length: 9 }, (_, index) => ({ name: `${index}.md`, content: 'text' }));
  const { text, submit } = openMemorySession({ state: { attachments: files } });
  await submit('sum up');
  expect(text()).toContain('natter: attached 9 files (36 bytes)\n');
});

test.each(['https://user:word@example.com/page', 'https://example.com?to=a@b.example'])(
  'the status names the host of the page %s until it is read',
  async (address) => {
    let finish = () => {};
    const read = new Promise<void>((resolve) => (finish = resolve));
    const memory = openMemorySession({
      repl: (usual) => ({
        ...usual,
        files: {
          ...usual.files,
          attach: async (...options) => {
            await read;
            return usual.files.attach(...options);
          },
        },
      }),
    });
    memory.enter(`see @${address}`);
    const status = () => runInApp(memory.session.state()).rows[1];
    await expect.poll(status).toMatch(/^\S example\.com · waiting/);
    finish();
    await memory.idle();
    expect(memory.requests).toHaveLength(1);
  },
);

test('/new removes what is attached, and names it', () => {
  const file = { name: '!ls', content: 'a.txt' };
  const { state, effects, printed } = play(stateOf({ attachments: [file] }), '/new', enter);
  expect([state.attachments, printed]).toEqual([[], ['no longer attached: !ls']]);
  expect(effectsOf(effects, newConversation)).toHaveLength(1);
});
