import { describe, expect, test, vi } from 'vitest';
import { Failure } from '../../src/failure.ts';
import { folderOf } from '../support/folder.ts';
import {
  createMemorySession,
  hanging,
  openMemorySession,
  saying,
} from '../support/memory-session.ts';
import { composed, pressed } from '../support/repl-state.ts';

/** The sequence with which a terminal is asked to copy a text. */
const clipboard = (text: string) => `\u001B]52;c;${Buffer.from(text).toString('base64')}\u0007`;

test.each([
  ['/copy', clipboard('text\n```\ncode\n```'), 'the last answer was copied through the terminal'],
  ['/copy 1', clipboard('code\n'), 'code block 1 was copied through the terminal'],
  ['/save 1 f.ts', 'write f.ts: code\n', 'code block 1 was written to /home/f.ts'],
])('%s uses the last answer', async (line, call, message) => {
  const { calls, text, submit } = createMemorySession(saying('text\n```\ncode\n```'));
  await submit('one', line);
  expect(calls).toContain(call);
  expect(text()).toContain(message);
});

test.each([
  ['/copy', 'the last answer was copied'],
  ['/context', '1 answer in this session'],
])(
  'R9: %s runs at once during an answer, and shows its result below the composer',
  async (line, shown) => {
    const { session, enter, text, submit } = createMemorySession(
      saying('first'),
      hanging('second'),
    );
    await submit('one');
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

describe('R10: /model', () => {
  test.each(['/model', '/models'])('opens a list of the models with %s', async (line) => {
    const { session, enter, submit } = createMemorySession();
    const { dialog, knownModels } = await submit(line);
    expect(dialog).toMatchObject({ title: expect.stringContaining('the model is origin') });
    const values =
      dialog?.type === 'choice' ? dialog.choices.map(({ label }) => label.split(/[ :]/, 1)[0]) : [];
    expect(values).toEqual(['origin', 'other', 'auto']);
    expect(knownModels).toEqual(['origin', 'other']);
    enter('2');
    expect(session.state()).toMatchObject({ dialog: undefined, settings: { model: 'other' } });
  });

  test('asks before it uses a model that the service does not list', async () => {
    const { session, enter, submit } = createMemorySession();
    const { dialog, settings } = await submit('/model othr');
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
          const used = usual.service.current();
          const current = () => ({ ...used, client: { ...used.client, listModels } });
          return { ...usual, service: { ...usual.service, current } };
        },
      });
      expect((await memory.submit('/model foo')).settings.model).toBe('foo');
      expect((await memory.submit('/model')).dialog).toMatchObject({ title: 'the model is foo' });
      expect(memory.text()).toContain(reason);
    },
  );
});

test('/resume of the open conversation only prints a notice', async () => {
  const { session, text, submit } = createMemorySession();
  await submit('one', `/resume ${session.state().conversation.id}`);
  expect(text()).toContain('this conversation is already open');
  expect(text()).not.toContain('is open in another natter');
});

test('/resume with the name of several conversations opens the list with that filter', async () => {
  const { session, text, submit } = createMemorySession();
  await submit('/resume about');
  await vi.waitUntil(() => session.state().list?.isReading === false);
  expect(session.state()).toMatchObject({
    activity: undefined,
    list: { query: 'about', rows: [{ title: 'about abcd2345' }, { title: 'about wxyz6789' }] },
  });
  expect(text()).not.toContain('matches');
});

test('/resume of a conversation that is open in another natter offers a copy', async () => {
  const { session, enter, text, submit } = createMemorySession();
  await submit('one');
  const { id } = session.state().conversation;
  expect(await submit('/resume abcd2345')).toMatchObject({
    dialog: {
      title: 'conversation abcd2345 is open in another natter',
      choices: [{ label: 'continue in a copy' }, { label: 'open nothing' }],
    },
  });
  enter('2');
  expect(session.state()).toMatchObject({ dialog: undefined, conversation: { id } });
  await submit('/resume abcd2345');
  expect((await submit('1')).conversation.id).not.toBe(id);
  expect(text()).toContain(`conversation ${session.state().conversation.id}`);
});

test('/retry uses a changed system prompt', async () => {
  const { requests, path, submit } = createMemorySession(saying('yes'), saying('arr'));
  await submit('one', '/system talk like a pirate', '/retry');
  expect(requests[1]?.messages).toEqual([
    { role: 'system', content: 'talk like a pirate' },
    { role: 'user', content: 'one' },
  ]);
  await submit('/version');
  expect(path()).toMatchObject([{ content: 'one' }, { content: 'yes' }]);
});

test('Y18: /save in an empty conversation reports no file', async () => {
  const folder = folderOf();
  const { text, submit } = openMemorySession({ folder });
  await submit('/save');
  expect(text()).toBe('natter: nothing to save yet: the first prompt creates the file\n');
  await submit('one', '/save');
  expect(text()).toContain(`the conversation is saved in ${folder}`);
});

test('Y18: an editor that exits with an error cancels the edit', async () => {
  const { session, text, press } = openMemorySession({ environment: { EDITOR: 'false' } });
  await press('draft', pressed('g', { ctrl: true }));
  await expect.poll(text).toBe('natter: edit cancelled; the text is unchanged\n');
  expect(composed(session.state())).toBe('draft');
});
