import { describe, expect, test } from 'vitest';
import { errorNames } from '../../src/client/contract.ts';
import { idleTimedOut } from '../../src/client/failure/answer-failure.ts';
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
import {
  chatEvent,
  composed,
  effectsOf,
  enter,
  escape,
  printed,
  run,
  stateOf,
  typed,
} from '../support/repl-state.ts';

/** The listed commands of a group. */
const listedIn = (name: string) =>
  groupsOf().flatMap((group) =>
    group.name === name ? group.commands.filter(({ isUnlisted }) => isUnlisted !== true) : [],
  );

describe('/help', () => {
  const helpOf = (line: string, changes: Partial<ReplState> = {}) =>
    printed(run(stateOf(changes), typed(line), enter).effects)[0]?.split('\n') ?? [];
  const shownKeys = keyBindings.filter(({ when }) => when === 'composer' || when === 'anywhere');

  test('R4: shows the commands by use, on 20 rows of at most 79 columns', () => {
    const rows = helpOf('/help');
    expect(rows).toHaveLength(20);
    expect(rows.slice(0, 4).map((row) => row.split(' ')[0])).toEqual([
      '/model',
      '/resume',
      '/new',
      '/retry',
    ]);
    expect(rows.at(-1)).toMatch(/^\/help all /);
    expect(rows.filter((row) => row.length > 79)).toEqual([]);
  });

  test('R4: a question mark in an empty composer shows it until another key', () => {
    const { state, effects } = run(stateOf(), typed('?'));
    expect(effects).toEqual([]);
    expect(panelOf(state)).toEqual(helpOf('/help'));
    expect(composed(run(state, escape).state)).toBe('');
    expect(panelOf(run(state, escape).state)).toEqual([]);
    expect(panelOf(run(state, typed('?')).state)).toEqual([]);
    expect(composed(run(state, typed(' why')).state)).toBe('? why');
  });

  test('R9: during an answer it is below the composer until the next key, and Esc only closes it', () => {
    const text = { type: 'text-received', text: 'half', deltas: ['half'] } as const;
    const chunk = chatEvent(text, 1);
    const answering = run(stateOf(), typed('why?'), enter, chunk).state;
    const { state, effects } = run(answering, typed('/help'), enter);
    expect(effectsOf(effects, 'print')).toEqual([]);
    expect(panelOf(state)).toEqual(helpOf('/help'));
    const closed = run(state, escape);
    expect(panelOf(closed.state)).toEqual([]);
    expect(effectsOf(closed.effects, 'stop')).toEqual([]);
    expect(effectsOf(run(closed.state, escape).effects, 'stop')).toHaveLength(1);
  });

  test('all shows every command below the title of its group, on one row of at most 79 columns', () => {
    const rows = helpOf('/help all');
    const ofNatter = groupsOf().filter(({ name }) => name !== 'prompts');
    const inOrder = ofNatter.flatMap(({ name, title }) => [
      title,
      ...listedIn(name).map((command) => `/${command.name}`),
      '',
    ]);
    const heads = rows.map((row) => /^[/!]\S*/.exec(row)?.[0] ?? row);
    expect(heads).toEqual([...inOrder, 'More', '!command', '!!command', '//', '/help', '/help']);
    expect(ofNatter.length).toBeGreaterThan(3);
    expect(rows.filter((row) => row.length > 79)).toEqual([]);
  });

  test('shows prompt files in a group', () => {
    const promptFiles = [{ name: 'review', summary: 'review a change' }];
    const shown = helpOf('/help prompts', { promptFiles, columns: 90 });
    expect(shown).toEqual(['Prompt files', '/review [name=value] [text]  review a change']);
    expect(helpOf('/help all', { promptFiles })).toContain('Prompt files');
    expect(helpOf('/help review', { promptFiles })[0]).toBe(
      '/review [name=value] [text]: review a change',
    );
  });

  test('shows the commands of one group', () => {
    const rows = helpOf('/help answers');
    expect(rows[0]).toBe('Answers');
    expect(rows).toHaveLength(listedIn('answers').length + 1);
  });

  test('shows an example of every command that has an argument', () => {
    for (const { name, argument, example } of slashCommands) {
      if (argument === undefined) continue;
      expect(example).toMatch(new RegExp(`^/${name} \\S`));
      expect(helpOf(`/help ${name}`).at(-1)).toBe(`for example: ${example}`);
    }
  });

  test('keys shows every key on one row of at most 79 columns', () => {
    const rows = helpOf('/help keys');
    expect(rows).toHaveLength(shownKeys.length);
    expect(rows.filter((row) => row.length > 79)).toEqual([]);
  });

  test.each(['/help', '/help all', '/help keys'])(
    '%s breaks between words in a narrow window',
    (line) => {
      const rows = helpOf(line, { columns: 40 });
      expect(rows.filter((row) => row.length > 39)).toEqual([]);
      expect(rows.slice(1).filter((row) => !/^$|^\S|^ {4}\S/.test(row))).toEqual([]);
    },
  );

  test('has sentences in line mode, and no commands that need the live region', () => {
    const rows = helpOf('/help all', { isLineMode: true });
    expect(rows).toContain('/retry, optional model: get a new version of the last answer');
    const answers = listedIn('answers');
    expect(rows[0]).toBe(`Answers, ${answers.length} commands:`);
    expect(rows.join('\n')).not.toMatch(/\/clear|\/redraw|\/theme/);
    expect(helpOf('/help clear', { isLineMode: true }).at(-1)).toBe(
      'it has no effect in line mode',
    );
  });

  test('keys has the keys of the line in line mode', () => {
    const rows = helpOf('/help keys', { isLineMode: true });
    expect(rows).toContain('Up and Down: earlier and later prompts');
    expect(rows.join('\n')).not.toMatch(/composer|Alt/);
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

const hintAfter = (status: number) => {
  const failure = serviceFailure(
    { status, headers: {}, text: '' },
    new Date(0),
    { method: 'POST', url: new URL('https://api.test/v1/chat/completions'), headers: {} },
    String,
  );
  return failureText(failure, context).hint ?? '';
};

test.each(Object.keys(errorNames).map(Number))(
  'the hint after status %d names an option only for the next start of natter',
  (status) => {
    expect(hintAfter(status)).not.toMatch(/natter (?:models|auth|conversations)|--dry-run/);
    expect(hintAfter(status).includes('--')).toBe(hintAfter(status).includes('restart natter'));
  },
);

test('an invalid request is changed with slash commands', () => {
  expect(hintAfter(400)).toBe('/model, /system and /param change what is sent');
});

test('the hint for an unreachable service names no command', () => {
  const failure = connectTimedOut(createRoute(new URL('https://service.test'), {}), 1000);
  expect(failureText(failure, context).hint).toBe('check the base URL and the network');
});

test('a limit that only an option changes needs a restart', () => {
  expect(failureText(idleTimedOut(5000), context).hint).toBe(
    'try again, or restart natter with a longer --idle-timeout',
  );
});

test('an unknown conversation points to the list in the REPL', () => {
  const find = () => findConversation('/nowhere', 'tea');
  expect(failureText(thrownBy(find), context).hint).toBe('/resume shows their ids and titles');
});

test('the hint of a failure without a remedy stays as it is', () => {
  const hint = 'wait for it, or continue in a copy: natter --resume x --branch';
  expect(failureText(new Failure('storage', 'in use', { hint }), context).hint).toBe(hint);
});

test('a remedy that only a newer natter knows has no hint', () => {
  const remedy = { code: 'from-the-future' } as never;
  expect(failureText(new Failure('unreachable', 'cut', { remedy }), context).hint).toBeUndefined();
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
