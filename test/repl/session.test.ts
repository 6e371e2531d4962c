import { describe, expect, test } from 'vitest';
import { Failure } from '../../src/failure.ts';
import { notice } from '../../src/repl/transcript/transcript.ts';
import {
  createMemorySession,
  failing,
  hanging,
  openMemorySession,
  received,
  type Reply,
  saying,
  secretWord,
} from '../support/memory-session.ts';
import { keyPressed, lineInterrupted } from '../support/repl-state.ts';

const down = new Failure('server_error', 'the service answered 500');
const cut = new Failure('incomplete', 'the answer was cut', { remedy: { code: 'send-again' } });

test('a prompt includes the current system prompt once', async () => {
  const { requests, submit } = createMemorySession();
  await submit('/system be brief', 'one', 'two', '/system off', 'three');
  const roles = requests.map(({ messages }) => messages.map(({ role }) => role).join(' '));
  expect(roles).toEqual([
    'system user',
    'system user assistant user',
    'user assistant user assistant user',
  ]);
});

describe('an answer', () => {
  test('D15 keeps its text when it is stopped, and the next request has valid roles', async () => {
    const memory = createMemorySession(hanging('half an'));
    const { session, enter, idle, requests, text, submit, path } = memory;
    enter('one');
    await expect.poll(text).toContain('half an');
    session.update(lineInterrupted);
    await idle();
    expect(text()).toContain('origin: half an\nnatter: stopped; /continue resumes it\n');
    await submit('two');
    expect(requests[1]?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
    expect(path()[1]).toMatchObject({ content: 'half an', incomplete: true });
  });

  test('D16 is not part of the next request if it was never received', async () => {
    const { requests, submit } = createMemorySession(failing(down));
    await submit('one', 'two');
    expect(requests[1]?.messages).toEqual([{ role: 'user', content: 'two' }]);
  });

  test('R1: is one answer after /continue, also in the next request and for /undo', async () => {
    const replies = [failing(cut, 'half'), failing(down), saying(' more')];
    const { session, enter, requests, calls, submit, text, sent, path } = createMemorySession(
      ...replies,
    );
    await submit('one');
    expect(text()).toContain(
      'the answer was cut\n  the received text is kept; /continue resumes it\n',
    );
    await submit('/continue');
    expect(requests[1]?.messages.at(1)).toEqual({ role: 'assistant', content: 'half' });
    expect(requests[1]?.messages.at(2)?.content).toMatch(/^Continue exactly where/);
    expect(text()).not.toContain('You: Continue exactly');
    expect(path().at(-1)).toMatchObject({ content: 'half', incomplete: true });
    await submit('/continue');
    const end = { incomplete: undefined, finishReason: 'stop' };
    expect(path()).toMatchObject([{ content: 'one' }, { content: 'half more', ...end }]);
    await submit('/save all.md');
    expect(calls).toContain('write all.md: half more');
    await submit('two');
    expect(sent()).toEqual(['one', 'half more', 'two']);
    enter('/undo');
    await submit('/undo');
    expect(session.state().composer.text).toBe('one');
  });

  test('N18: is no version of the prompt that is sent after /undo', async () => {
    const replies = ['first', 'second', 'third'].map((answer) => saying(answer));
    const { session, path, text, submit } = createMemorySession(...replies);
    await submit('one', 'two', '/undo', 'three');
    const contents = ['one', 'first', 'three', 'third'].map((content) => ({ content }));
    expect(path()).toMatchObject(contents);
    expect(session.state().conversation.turns.size).toBe(4);
    expect(text()).not.toMatch(/version \d/);
    await submit('/version');
    expect(text()).toContain('there is only one version');
  });

  test('is a new version after /retry; a failed one leaves the old version selected', async () => {
    const replies = [saying('first'), saying('second'), failing(down)];
    const { path, text, submit } = createMemorySession(...replies);
    await submit('one', '/retry');
    expect(text()).toContain('natter: this is version 2 of 2; /version switches\n');
    await submit('/retry');
    expect(path().at(-1)?.content).toBe('second');
    await submit('/version 1');
    expect(path().at(-1)?.content).toBe('first');
  });

  test('T3 is sanitized on the screen and recorded unchanged', async () => {
    const { path, text, submit } = createMemorySession(saying('a\u001B]52;c;', 'eA==\u0007b'));
    await submit('one');
    expect(text()).toContain('origin: ab\n');
    expect(text()).toContain('1 control or hidden character of the answer not shown');
    expect(path().at(-1)?.content).toBe('a\u001B]52;c;eA==\u0007b');
  });

  test('is not interrupted by notices', async () => {
    let goOn: () => void = () => undefined;
    const held: Reply = async function* reply(request, signal) {
      yield received('half ');
      await new Promise<void>((resolve) => (goOn = resolve));
      yield* saying('an hour')(request, signal);
    };
    const { session, enter, idle, text } = createMemorySession(held);
    enter('one');
    await expect.poll(text).toContain('half ');
    session.print([notice('the disk is full')]);
    await new Promise(setImmediate);
    goOn();
    await idle();
    expect(text()).toMatch(/origin: half an hour\nnatter: the disk is full\n/);
  });
});

describe('a failure', () => {
  test('K8 is shown without secrets', async () => {
    const { text, submit } = createMemorySession(
      failing(new Failure('server_error', `echoed ${secretWord}`)),
    );
    await submit('one');
    expect(text()).toContain('echoed ***');
  });

  test('N19: of a wrong key opens the dialog for a new one, and says which key is used when', async () => {
    const refused = new Failure('unauthorized', 'the key was refused');
    const options = { replies: [failing(refused)], environment: { NATTER_API_KEY: 'wrong' } };
    const { session, calls, text, submit } = openMemorySession(options);
    await submit('one');
    expect(session.state().dialog).toMatchObject({ label: 'API key' });
    expect((await submit('wrong')).dialog).toMatchObject({ label: 'API key' });
    expect((await submit('right')).dialog).toBeUndefined();
    const overridden = 'notice NATTER_API_KEY is set and overrides the stored value';
    expect(calls.slice(-2)).toEqual(['connect https://api.example.com right', overridden]);
    expect(text()).toContain(
      'natter: the key that you entered is used now; stored in your settings; Enter sends the prompt again\n',
    );
  });
});

test('an idle session holds no timer', async () => {
  const { clock, submit } = createMemorySession();
  expect(clock.sleeping()).toBe(0);
  await submit('one');
  await clock.advance(2000);
  expect(clock.sleeping()).toBe(0);
});

test('an unsent draft is saved after a pause', async () => {
  const { session, clock, calls } = createMemorySession();
  session.update(keyPressed({ type: 'text', text: 'dra' }));
  session.update(keyPressed({ type: 'text', text: 'ft' }));
  await clock.advance(600);
  expect(calls).toEqual(['draft draft']);
});

test('a prompt that quitting follows at once is recorded', async () => {
  const { enter, idle, path } = createMemorySession(saying('late'));
  enter('one');
  enter('/quit');
  await idle();
  expect(path()[0]).toMatchObject({ role: 'user', content: 'one' });
});

test('quitting during an answer keeps its text', async () => {
  const { session, enter, text, path } = createMemorySession(hanging('half'));
  enter('one');
  await expect.poll(text).toContain('half');
  enter('/quit');
  await session.ended;
  await session.close();
  expect(path().at(-1)).toMatchObject({ content: 'half', incomplete: true });
});
