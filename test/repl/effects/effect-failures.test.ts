import { describe, expect, test } from 'vitest';
import { Failure } from '../../../src/failure.ts';
import type { Action } from '../../../src/repl/state/action.ts';
import { firstRunDialog, serversDialog } from '../../../src/repl/state/dialog.ts';
import type { Effect } from '../../../src/repl/state/effect.ts';
import { effectRunners, type EffectRunners } from '../../../src/repl/effects/run-effect.ts';
import { createBuffer } from '../../../src/repl/editing/text-buffer.ts';
import type { ReplState } from '../../../src/repl/state/state.ts';
import { hanging, openMemorySession, saying } from '../../support/memory-session.ts';
import { composed, enter, escape, pressed, typed } from '../../support/repl-state.ts';

interface Case {
  /** What leads to the effect, in a conversation of one prompt and two answers. */
  readonly keys: readonly Action[];
  /** A question that is open at the beginning. */
  readonly dialog?: ReplState['dialog'];
  /** The next answer begins and does not end. */
  readonly isHanging?: boolean;
}

const command = (text: string): Case => ({ keys: [typed(text), enter] });
const server = { name: 'Ollama', url: 'http://127.0.0.1:11434', models: ['llama'] };

/** Every effect: one that is added to natter without a line here does not compile. */
const cases: Readonly<Record<Effect['type'], Case>> = {
  print: command('/usage'),
  send: command('another prompt'),
  stop: { keys: [typed('wait'), enter, escape], isHanging: true },
  leave: command('/quit'),
  suspend: { keys: [pressed('z', { ctrl: true })] },
  redraw: { keys: [pressed('l', { ctrl: true })] },
  'scroll-away': command('/clear'),
  remember: command('/usage'),
  'keep-draft': { keys: [] },
  'edit-externally': { keys: [pressed('g', { ctrl: true })] },
  'find-candidates': { keys: [typed('/resume '), pressed('tab')] },
  'list-models': command('/models'),
  attach: command('/attach notes.md'),
  copy: command('/copy'),
  save: command('/save answer.md'),
  'save-journal': command('/save'),
  choose: command('/version 1'),
  undo: command('/undo'),
  rename: command('/rename on tea'),
  'new-conversation': command('/new'),
  resume: command('/resume abcd2345'),
  'list-conversations': command('/conversations'),
  'set-theme': command('/theme mono'),
  connect: { keys: [typed('1')], dialog: serversDialog([server]) },
  'find-servers': { keys: [typed('2')], dialog: firstRunDialog() },
};

const types = Object.keys(cases) as Effect['type'][];
const bug = () => new TypeError('a bug in it');

const ways: readonly (readonly [way: string, fail: () => Promise<void>])[] = [
  [
    'throws',
    () => {
      throw bug();
    },
  ],
  ['rejects', () => Promise.reject(bug())],
];

/** The usual runners, but that one of them fails once. */
function failingOnce(type: Effect['type'], fail: () => Promise<void>) {
  let isArmed = false;
  const usual = effectRunners[type] as (...words: readonly unknown[]) => Promise<void> | void;
  const runner = (...words: readonly unknown[]) => {
    if (!isArmed) return usual(...words);
    isArmed = false;
    return fail();
  };
  const runners: EffectRunners = { ...effectRunners, [type]: runner };
  return { runners, arm: () => (isArmed = true) };
}

const sandbox = { address: 'the sandbox', isSandbox: true };

describe.each(ways)('an effect that %s', (_way, fail) => {
  test.each(types)(
    '%s becomes an entry, the draft is kept, and the session lives',
    async (type) => {
      const { keys, dialog, isHanging } = cases[type];
      const { runners, arm } = failingOnce(type, fail);
      const next = isHanging === true ? hanging('half') : saying('next');
      const opened = openMemorySession({
        replies: [saying('first'), saying('```\nsecond\n```'), next, saying('still alive')],
        runners,
        ...(dialog && { state: { dialog, service: sandbox, composer: createBuffer('a draft') } }),
      });
      const { session, clock, text, idle } = opened;
      const press = (...actions: readonly Action[]) =>
        actions.forEach((action) => session.dispatch(action));
      if (dialog === undefined) {
        for (const line of ['one', '/retry']) {
          press(typed(line), enter);
          await idle();
        }
      }
      arm();
      press(...keys, ...(dialog === undefined ? [typed('a draft')] : []));
      await clock.advance(600);
      await expect.poll(text).toContain('natter: unexpected error: a bug in it\n');
      expect(composed(session.state())).toMatch(/a draft$/);
      expect(session.state()).toMatchObject({ hasLeft: false, typeAhead: undefined, dialog });
      press(escape);
      await idle();
      press({ type: 'line-entered', text: 'are you there?', now: 0 });
      await idle();
      expect(text()).toMatch(/You: are you there\?\norigin: (first|next|still alive)\n/);
      await session.close();
    },
  );
});

test('X15: Tab after /resume says why the conversations cannot be read', async () => {
  const { session, text } = openMemorySession({
    ports: (ports) => ({
      ...ports,
      library: {
        ...ports.library,
        names() {
          throw new Failure('storage', 'cannot read the conversations: permission denied');
        },
      },
    }),
  });
  for (const action of [typed('/resume '), pressed('tab')]) session.dispatch(action);
  await expect.poll(text).toBe('natter: cannot read the conversations: permission denied\n');
  expect(composed(session.state())).toBe('/resume ');
});

test('X16: Ctrl-G twice in one read opens one editor, and what follows is typed after it', async () => {
  const edited: string[] = [];
  const { session } = openMemorySession({
    ports: (ports) => ({
      ...ports,
      async edit(text) {
        edited.push(text);
        return `${text} edited`;
      },
    }),
  });
  const editor = pressed('g', { ctrl: true });
  for (const action of [typed('draft'), editor, editor, typed('!')]) session.dispatch(action);
  await expect.poll(() => composed(session.state())).toBe('draft edited!');
  expect(edited).toEqual(['draft']);
  session.dispatch(editor);
  await expect.poll(() => edited).toEqual(['draft', 'draft edited!']);
});

test('an action dispatched while the state is shown is handled after it', () => {
  const shown: string[] = [];
  const { session } = openMemorySession({
    screen: {
      show(state) {
        shown.push(composed(state));
        if (composed(state) === 'a') session.dispatch(typed('b'));
        shown.push('shown');
      },
    },
  });
  session.dispatch(typed('a'));
  expect(shown).toEqual(['', 'shown', 'a', 'shown', 'ab', 'shown']);
});

test('a prompt whose sending fails comes back', async () => {
  const { runners, arm } = failingOnce('send', () => Promise.reject(bug()));
  const { session, text, idle } = openMemorySession({ runners });
  arm();
  for (const action of [typed('a prompt'), enter]) session.dispatch(action);
  const state = await idle();
  expect(text()).toContain('a bug in it');
  expect(composed(state)).toBe('a prompt');
});

test('a session whose failures cannot be shown ends with the last of them', async () => {
  const runners = { ...effectRunners, print: () => Promise.reject(bug()) };
  const { session } = openMemorySession({ runners });
  for (const action of [typed('/usage'), enter]) session.dispatch(action);
  await expect(session.left).rejects.toThrow('a bug in it');
});

test('a closing session sends nothing from its queue', async () => {
  const opened = openMemorySession({
    replies: [hanging('never')],
    ports: (ports) => ({
      ...ports,
      library: {
        ...ports.library,
        describe: (_query, signal) =>
          new Promise((_resolve, reject) => {
            signal.addEventListener('abort', () => reject(signal.reason as Error));
          }),
      },
    }),
  });
  opened.enter('/conversations');
  opened.enter('two');
  await opened.session.close();
  expect(opened.session.state().activity).toBeUndefined();
  expect(opened.requests).toEqual([]);
});
