import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { pathOf } from '../../src/conversation/tree.ts';
import { Failure } from '../../src/failure.ts';
import {
  createMemorySession,
  hanging,
  openMemorySession,
  saying,
} from '../support/memory-session.ts';
import { composed, pressed, typed } from '../support/repl-state.ts';

/** The sequence with which a terminal is asked to copy a text. */
const clipboard = (text: string) => `\u001B]52;c;${Buffer.from(text).toString('base64')}\u0007`;

test.each([
  ['/copy', clipboard('text\n```\ncode\n```'), 'the last answer was copied through the terminal'],
  ['/copy 1', clipboard('code\n'), 'code block 1 was copied through the terminal'],
  ['/save 1 f.ts', 'write f.ts: code\n', 'code block 1 was written to /home/f.ts'],
])('%s uses the last answer', async (line, call, message) => {
  const { enter, idle, calls, text } = createMemorySession(saying('text\n```\ncode\n```'));
  enter('one');
  await idle();
  enter(line);
  await idle();
  expect(calls).toContain(call);
  expect(text()).toContain(message);
});

test.each([
  ['/copy', 'the last answer was copied'],
  ['/context', '1 answer in this session'],
])(
  'R9: %s runs at once during an answer, and shows its result below the composer',
  async (line, shown) => {
    const { session, enter, idle, text } = createMemorySession(saying('first'), hanging('second'));
    enter('one');
    await idle();
    enter('two');
    await vi.waitUntil(() => text().includes('second'));
    const before = text();
    enter(line);
    await vi.waitUntil(() => session.state().panel !== undefined);
    expect(session.state().panel).toContain(shown);
    expect(text()).toBe(before);
    session.stop();
  },
);

test('/copy of a missing code block reports that there is none', async () => {
  const { enter, idle, text } = createMemorySession(saying('no code'));
  enter('one');
  await idle();
  enter('/copy 3');
  await idle();
  expect(text()).toContain('the last answer has no code block');
});

describe('R10: /model', () => {
  test.each(['/model', '/models'])('opens a list of the models with %s', async (line) => {
    const { session, enter, idle } = createMemorySession();
    enter(line);
    const { dialog, knownModels } = await idle();
    expect(dialog).toMatchObject({ title: expect.stringContaining('the model is origin') });
    const values =
      dialog?.type === 'choice' ? dialog.choices.map(({ label }) => label.split(/[ :]/, 1)[0]) : [];
    expect(values).toEqual(['origin', 'other', 'auto']);
    expect(knownModels).toEqual(['origin', 'other']);
    enter('2');
    expect(session.state()).toMatchObject({ dialog: undefined, settings: { model: 'other' } });
  });

  test('prints the list in line mode', async () => {
    const { enter, idle, text } = openMemorySession({ state: { isLineMode: true } });
    enter('/model');
    await idle();
    expect(text()).toMatch(
      /^natter: the model is origin; .*\nnatter:\norigin, context .*\nother\n$/,
    );
  });

  test('asks before it uses a model that the service does not list', async () => {
    const { session, enter, idle } = createMemorySession();
    enter('/model othr');
    const { dialog, settings } = await idle();
    expect(settings.model).toBe('origin');
    expect(dialog).toMatchObject({
      title: 'the service does not list the model othr',
      choices: [{ label: 'use other' }, { label: 'keep origin' }, { label: 'use othr anyway' }],
    });
    enter('3');
    expect(session.state().settings.model).toBe('othr');
  });

  test.each([
    ['lists none', async () => [], 'the service lists no models'],
    [
      'fails',
      () => Promise.reject(new Failure('not_found', 'no such address')),
      'the service did not list its models: no such address',
    ],
  ])(
    'uses any name, and lists the known ones, if the service %s',
    async (_, listModels, reason) => {
      const memory = openMemorySession({
        repl: (usual) => {
          const client = { ...usual.service.client(), listModels };
          return { ...usual, service: { ...usual.service, client: () => client } };
        },
      });
      memory.enter('/model foo');
      expect((await memory.idle()).settings.model).toBe('foo');
      memory.enter('/model');
      expect((await memory.idle()).dialog).toMatchObject({ title: 'the model is foo' });
      expect(memory.text()).toContain(reason);
    },
  );
});

test('/attach adds a file to the next prompt only', async () => {
  const { enter, idle, requests } = createMemorySession();
  for (const line of ['/attach a.txt', 'one', 'two']) {
    enter(line);
    await idle();
  }
  expect(requests[0]?.messages[0]?.content).toContain('<file name="a.txt">');
  expect(requests[1]?.messages.at(-1)?.content).toBe('two');
});

test('/new starts an empty conversation', async () => {
  const { session, enter, idle } = createMemorySession();
  enter('one');
  await idle();
  const { id } = session.state().conversation;
  enter('/new');
  await idle();
  expect(session.state().conversation.id).not.toBe(id);
  expect(session.state().conversation.turns.size).toBe(0);
});

test('/resume of the open conversation only prints a notice', async () => {
  const { session, enter, idle, text } = createMemorySession();
  enter('one');
  await idle();
  enter(`/resume ${session.state().conversation.id}`);
  await idle();
  expect(text()).toContain('this conversation is already open');
  expect(text()).not.toContain('is open in another natter');
});

test('/resume with the name of several conversations opens the list with that filter', async () => {
  const { session, enter, idle, text } = createMemorySession();
  enter('/resume about');
  await idle();
  await vi.waitUntil(() => session.state().list?.isReading === false);
  expect(session.state()).toMatchObject({
    activity: undefined,
    list: { query: 'about', rows: [{ title: 'about abcd2345' }, { title: 'about wxyz6789' }] },
  });
  expect(text()).not.toContain('matches');
});

test('/resume of a conversation that is open in another natter offers a copy', async () => {
  const { session, enter, idle, text } = createMemorySession();
  enter('one');
  await idle();
  const { id } = session.state().conversation;
  enter('/resume abcd2345');
  expect(await idle()).toMatchObject({
    dialog: {
      title: 'conversation abcd2345 is open in another natter',
      choices: [{ label: 'continue in a copy' }, { label: 'open nothing' }],
    },
  });
  enter('2');
  expect(session.state()).toMatchObject({ dialog: undefined, conversation: { id } });
  enter('/resume abcd2345');
  await idle();
  enter('1');
  expect((await idle()).conversation.id).not.toBe(id);
  expect(text()).toContain(`conversation ${session.state().conversation.id}`);
});

test('/resume of a missing conversation changes nothing', async () => {
  const { session, enter, idle, text } = createMemorySession();
  enter('one');
  await idle();
  enter('/resume nothing');
  await idle();
  expect(text()).toContain('there is no conversation "nothing"');
  expect(session.state().conversation.turns.size).toBe(2);
});

test('/version prints the version once, with its number', async () => {
  const { enter, idle, text } = createMemorySession(saying('first'), saying('second'));
  for (const line of ['one', '/edit', ' more']) {
    enter(line);
    await idle();
  }
  expect(text()).toMatch(/second\nnatter: this is version 2 of 2; \/version switches\n$/);
  const before = text().length;
  enter('/version 1');
  await idle();
  expect(text().slice(before)).toBe(
    'You: one\norigin: first\nnatter: this is version 1 of 2; /version switches\n',
  );
  enter('/version 1');
  await idle();
  expect(text()).toMatch(/switches\nnatter: this is version 1 of 2\n$/);
});

test('/retry uses a changed system prompt', async () => {
  const { enter, idle, requests, session } = createMemorySession(saying('yes'), saying('arr'));
  for (const line of ['one', '/system talk like a pirate', '/retry']) {
    enter(line);
    await idle();
  }
  expect(requests[1]?.messages).toEqual([
    { role: 'system', content: 'talk like a pirate' },
    { role: 'user', content: 'one' },
  ]);
  enter('/version');
  await idle();
  expect(pathOf(session.state().conversation).map(({ content }) => content)).toEqual([
    'one',
    'yes',
  ]);
});

test('Y18: /save in an empty conversation reports no file', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'natter-save-'));
  const { enter, idle, text } = openMemorySession({ folder });
  enter('/save');
  await idle();
  expect(text()).toBe('natter: nothing to save yet: the first prompt creates the file\n');
  enter('one');
  await idle();
  enter('/save');
  await idle();
  expect(text()).toContain(`the conversation is saved in ${folder}`);
});

test('Y18: an editor that exits with an error cancels the edit', async () => {
  const { session, text } = openMemorySession({
    environment: { EDITOR: 'false' },
  });
  for (const action of [typed('draft'), pressed('g', { ctrl: true })]) session.dispatch(action);
  await expect.poll(text).toBe('natter: edit cancelled; the text is unchanged\n');
  expect(composed(session.state())).toBe('draft');
});

test('in line mode /retry is not offered for a prompt that was not recorded', async () => {
  const { enter, idle, text } = openMemorySession({ state: { isLineMode: true } });
  enter('see @missing.md');
  await idle();
  expect(text()).toMatch(
    /cannot attach missing\.md\n {2}an empty line sends these words without the file\n$/,
  );
});
