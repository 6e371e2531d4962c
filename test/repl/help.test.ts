import { describe, expect, test } from 'vitest';
import { print } from '../../src/repl/step.ts';
import { stopWork } from '../../src/repl/keys.ts';
import { timedOut } from '../../src/client/failure/answer-failure.ts';
import { connectTimedOut } from '../../src/client/failure/network-failure.ts';
import { serviceFailure } from '../../src/client/failure/service-failure.ts';
import { createRoute } from '../../src/client/http/route.ts';
import { findConversation } from '../../src/conversation/library/library.ts';
import { Failure } from '../../src/failure.ts';
import { commonHints } from '../../src/output/ending-failure.ts';
import { groupsOf, panelOf, slashCommands } from '../../src/repl/commands.ts';
import { keyBindings } from '../../src/repl/composer/keys/key-bindings.ts';
import { failureText, replHints } from '../../src/repl/session.ts';
import type { ReplState } from '../../src/repl/state.ts';
import { createMemoryContext } from '../support/memory-context.ts';
import { chatEvent, effectsOf, enter, escape, play, stateOf } from '../support/repl-state.ts';

/** The listed commands of a group. */
const listedIn = (name: string) =>
  groupsOf().flatMap((group) =>
    group.name === name ? group.commands.filter(({ isUnlisted }) => isUnlisted !== true) : [],
  );

describe('/help', () => {
  const helpOf = (line: string, changes: Partial<ReplState> = {}) =>
    play(stateOf(changes), line, enter).printed[0]?.split('\n') ?? [];
  const shownKeys = keyBindings.filter(({ when }) => when === 'composer' || when === 'anywhere');

  test('R4: shows the commands by use, on 20 rows', () => {
    const rows = helpOf('/help');
    expect(rows).toHaveLength(20);
    expect(rows.slice(0, 4).join('\n')).toMatch(/^\/model .*\n\/resume .*\n\/new .*\n\/retry /);
    expect(rows.at(-1)).toMatch(/^\/help all /);
  });

  test('R4: a question mark in an empty composer shows it until another key', () => {
    const { state, effects } = play(stateOf(), '?');
    expect(effects).toEqual([]);
    expect(panelOf(state)).toEqual(helpOf('/help'));
    const closed = play(state, escape);
    expect([closed.text, panelOf(closed.state)]).toEqual(['', []]);
    expect(panelOf(play(state, '?').state)).toEqual([]);
    expect(play(state, ' why').text).toBe('? why');
  });

  test('R9: during an answer it is below the composer until the next key, and Esc only closes it', () => {
    const chunk = chatEvent({ type: 'text-received', text: 'half', deltas: ['half'] }, 1);
    const answering = play(stateOf(), 'why?', enter, chunk).state;
    const { state, effects } = play(answering, '/help', enter);
    expect(effectsOf(effects, print)).toEqual([]);
    expect(panelOf(state)).toEqual(helpOf('/help'));
    const closed = play(state, escape);
    expect(panelOf(closed.state)).toEqual([]);
    expect(effectsOf(closed.effects, stopWork)).toEqual([]);
    expect(effectsOf(play(closed.state, escape).effects, stopWork)).toHaveLength(1);
  });

  test('all shows every command below the title of its group', () => {
    const heads = helpOf('/help all').map((row) => /^[/!]\S*/.exec(row)?.[0] ?? row);
    const ofNatter = groupsOf().filter(({ name }) => name !== 'prompts');
    const inOrder = ofNatter.flatMap(({ name, title }) => [
      title,
      ...listedIn(name).map((command) => `/${command.name}`),
      '',
    ]);
    expect(heads).toEqual([...inOrder, 'More', '!command', '!!command', '//', '/help', '/help']);
    expect(ofNatter.length).toBeGreaterThan(3);
  });

  test('shows prompt files in a group', () => {
    const promptFiles = [{ name: 'review', summary: 'review a change' }];
    const usage = '/review [name=value] [text]';
    const shown = helpOf('/help prompts', { promptFiles, columns: 90 });
    expect(shown).toEqual(['Prompt files', `${usage}  review a change`]);
    expect(helpOf('/help all', { promptFiles })).toContain('Prompt files');
    expect(helpOf('/help review', { promptFiles })[0]).toBe(`${usage}: review a change`);
  });

  test('shows the commands of one group', () => {
    const rows = helpOf('/help answers');
    expect([rows[0], rows.length]).toEqual(['Answers', listedIn('answers').length + 1]);
  });

  test('shows an example of every command that has an argument', () => {
    for (const { name, argument, example } of slashCommands) {
      if (argument === undefined) continue;
      expect(example).toMatch(new RegExp(`^/${name} \\S`));
      expect(helpOf(`/help ${name}`).at(-1)).toBe(`for example: ${example}`);
    }
  });

  test.each(['/help', '/help all', '/help keys'])(
    '%s has rows of at most 79 columns, and breaks between words in a narrow window',
    (line) => {
      expect(helpOf(line).filter((row) => row.length > 79)).toEqual([]);
      const rows = helpOf(line, { columns: 40 });
      expect(rows.filter((row) => row.length > 39)).toEqual([]);
      expect(rows.slice(1).filter((row) => !/^$|^\S|^ {4}\S/.test(row))).toEqual([]);
    },
  );

  test('keys shows every key on one row', () => {
    expect(helpOf('/help keys')).toHaveLength(shownKeys.length);
  });

  test('has no commands in line mode that need the live region', () => {
    const rows = helpOf('/help all', { isLineMode: true });
    expect(rows[0]).toBe(`Answers, ${listedIn('answers').length} commands:`);
    expect(rows.join('\n')).not.toMatch(/\/clear|\/redraw|\/theme/);
    expect(helpOf('/help clear', { isLineMode: true }).at(-1)).toBe(
      'it has no effect in line mode',
    );
  });
});

function thrownBy(act: () => unknown): unknown {
  try {
    return act();
  } catch (error) {
    return error;
  }
}

const { context } = createMemoryContext();
const hintOf = (error: unknown) => failureText(error, context).hint;

const refusedWith = (status: number) =>
  serviceFailure(
    { status, headers: {}, text: '' },
    new Date(0),
    { method: 'POST', url: new URL('https://api.test/v1/chat/completions'), headers: {} },
    String,
  );

const copyHint = 'wait for it, or continue in a copy: natter --resume x --branch';
const unknown = { code: 'from-the-future' } as never;

test.each([
  ['an invalid request', refusedWith(400), '/model, /system and /param change what is sent'],
  [
    'an unreachable service',
    connectTimedOut(createRoute(new URL('https://service.test'), {}), 1000),
    'check the base URL and the network',
  ],
  [
    'a limit that only an option changes',
    timedOut('idleTimeout', { idleTimeout: 5000 }),
    'try again, or restart natter with a longer --idle-timeout',
  ],
  [
    'an unknown conversation',
    thrownBy(() => findConversation('/nowhere', 'tea')),
    '/resume shows their ids and titles',
  ],
  ['a failure without a remedy', new Failure('storage', 'x', { hint: copyHint }), copyHint],
  ['a remedy of a newer natter', new Failure('unreachable', 'x', { remedy: unknown }), undefined],
])('%s has its hint', (_, error, hint) => {
  expect(hintOf(error)).toBe(hint);
});

test('the shared words name no command, option or key', () => {
  const data = { option: 'retries', scheme: 'http', variable: 'HTTP_PROXY' } as never;
  for (const words of Object.values(commonHints)) {
    expect(words(data)).not.toMatch(
      /natter (?:models|auth|config|conversations) |(?:^| )-{1,2}[a-z]|(?:^| )\/[a-z]/,
    );
  }
});

test('no hint of the REPL names a command that it has as a slash command', () => {
  const data = { limit: 'idleTimeout', time: '12:00:00', seconds: 1, baseUrl: 'b', file: 'f' };
  for (const words of Object.values(replHints)) {
    expect((words as (data: object) => string)(data)).not.toMatch(
      /natter (?:models|conversations|auth)|(?<!restart natter with(?:out)? .*)--/,
    );
  }
});
