import { expect, test } from 'vitest';
import { Failure } from '../../src/failure.ts';
import type { ReplState, Task } from '../../src/repl/state.ts';
import { createBuffer } from '../../src/repl/composer/text-buffer.ts';
import { callTask } from '../../src/repl/create-session.ts';
import { answerAside } from '../../src/repl/answers/aside.ts';
import { sendPrompt } from '../../src/repl/answers/send-prompt.ts';
import { connect, findServers, firstRunDialog, serversDialog } from '../../src/repl/connection.ts';
import { makeSummary } from '../../src/repl/context.ts';
import { readConversations, readList } from '../../src/repl/conversation-list/list.ts';
import { attach } from '../../src/repl/files/attachments.ts';
import { editExternally } from '../../src/repl/keys.ts';
import { findCandidates } from '../../src/repl/menu.ts';
import { print, printReport } from '../../src/repl/step.ts';
import {
  hanging,
  type MemoryOptions,
  openMemorySession,
  saying,
} from '../support/memory-session.ts';
import {
  composed,
  enter,
  escape,
  lineEntered,
  pressed,
  type StateChange,
  typed,
} from '../support/repl-state.ts';

interface Case {
  /** Lead to the effect, in a conversation with one prompt and two answers. */
  readonly keys: readonly StateChange[];
  /** Open at the start. */
  readonly dialog?: ReplState['dialog'];
}

const sandbox = { address: 'the sandbox', isSandbox: true, hasKey: true };
const command = (text: string): Case => ({ keys: [typed(text), enter] });
const server = { name: 'Ollama', url: 'http://127.0.0.1:11434', models: ['llama'] };

/** Functions of tasks: those that end something else when they fail, and two that do not. */
const cases: readonly (readonly [called: Task['run'], one: Case])[] = [
  [print, command('/usage')],
  [attach, command('/attach notes.md')],
  [sendPrompt, command('another prompt')],
  [editExternally, { keys: [pressed('g', { ctrl: true })] }],
  [findCandidates, { keys: [typed('/resume '), pressed('tab')] }],
  [answerAside, command('/btw why?')],
  [makeSummary, command('/compact')],
  [readConversations, command('/resume')],
  [readList, command('/resume')],
  [connect, { keys: [lineEntered('1')], dialog: serversDialog(sandbox, [server]) }],
  [findServers, { keys: [lineEntered('2')], dialog: firstRunDialog }],
];

/** Longer than a summary of it. */
const long = `\`\`\`\n${'second\n'.repeat(60)}\`\`\`\n`;

const bug = () => new TypeError('a bug in it');

/** Once armed, the task of this function fails the next time. */
function failingOnce(called: Task['run']) {
  let isArmed = false;
  const call: MemoryOptions['call'] = (task, session, signal) => {
    if (!isArmed || task.run !== called) return callTask(task, session, signal);
    isArmed = false;
    return Promise.reject(bug());
  };
  return { call, arm: () => (isArmed = true) };
}

test.each(cases)(
  'a task that fails, %o, is reported; the session goes on with the draft',
  async (called, { keys, dialog }) => {
    const { call, arm } = failingOnce(called);
    const opened = openMemorySession({
      replies: ['first', long, 'next', 'still alive'].map((answer) => saying(answer)),
      call,
      ...(dialog && { state: { dialog, service: sandbox, composer: createBuffer('a draft') } }),
    });
    const { session, clock, text, press, submit } = opened;
    if (dialog === undefined) await submit('one', '/retry');
    arm();
    void press(...keys, ...(dialog === undefined ? ['a draft'] : []));
    await clock.advance(600);
    await expect.poll(text).toContain('natter: unexpected error: a bug in it\n');
    expect(session.state().list?.query ?? composed(session.state())).toMatch(/a draft$/);
    expect(session.state()).toMatchObject({ hasQuit: false, typeAhead: undefined, dialog });
    await press(escape);
    await submit('are you there?');
    expect(text()).toMatch(/You: are you there\?\norigin: (first|next|still alive)\n/);
    await session.close();
  },
);

test('X15: Tab after /resume reports why the conversations cannot be read', async () => {
  const { session, text, press } = openMemorySession({
    repl: (usual) => ({
      ...usual,
      library: {
        ...usual.library,
        names() {
          throw new Failure('storage', 'cannot read the conversations: permission denied');
        },
      },
    }),
  });
  await press('/resume ', pressed('tab'));
  await expect.poll(text).toBe('natter: cannot read the conversations: permission denied\n');
  expect(composed(session.state())).toBe('/resume ');
});

test('X16: Ctrl+G twice in one read opens one editor; later keys are typed after it closes', async () => {
  const { session, press } = openMemorySession({
    environment: { EDITOR: 'printf " edited" >>' },
  });
  const editor = pressed('g', { ctrl: true });
  await press('draft', editor, editor, '!');
  await expect.poll(() => composed(session.state())).toBe('draft edited!');
  session.update(editor);
  await expect.poll(() => composed(session.state())).toBe('draft edited! edited');
});

test('an action dispatched while the state is shown is handled after it', () => {
  const shown: string[] = [];
  const { session } = openMemorySession({
    screen: {
      show(state) {
        shown.push(composed(state));
        if (composed(state) === 'a') session.update(typed('b'));
        shown.push('shown');
      },
    },
  });
  session.update(typed('a'));
  expect(shown).toEqual(['', 'shown', 'a', 'shown', 'ab', 'shown']);
});

test('a prompt is restored when sending it fails', async () => {
  const { call, arm } = failingOnce(sendPrompt);
  const { text, press, submit } = openMemorySession({ call });
  await submit('one', '/edit');
  arm();
  const state = await press(' more', enter);
  expect(text()).toContain('a bug in it');
  expect([composed(state), state.branch?.reason]).toEqual(['one more', 'edit']);
});

test('a session that cannot print its failures ends with one', async () => {
  const call: MemoryOptions['call'] = (task, session, signal) =>
    task.run === print || task.run === printReport
      ? Promise.reject(bug())
      : callTask(task, session, signal);
  const { session, press } = openMemorySession({ call });
  void press('/usage', enter);
  await expect(session.ended).rejects.toThrow('a bug in it');
});

test('a closing session does not send its queue', async () => {
  const { session, enter: submit, requests } = openMemorySession({ replies: [hanging('never')] });
  submit('one');
  submit('two');
  await expect.poll(() => requests).toHaveLength(1);
  await session.close();
  expect(session.state().activity).toBeUndefined();
  expect(requests).toHaveLength(1);
});
