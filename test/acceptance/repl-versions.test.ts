import { expect, test } from 'vitest';
import { createDataFolder } from '../support/data-folder.ts';
import { openTerminal } from '../support/terminal.ts';

/** Types the lines into a conversation in line mode, each when the one before is done, and quits. */
async function converse(
  data: ReturnType<typeof createDataFolder>,
  ...lines: readonly (readonly [typed: string, shown: RegExp])[]
) {
  const session = openTerminal(['--sandbox', '--accessible'], { env: data.env });
  await session.waitFor(/You:/);
  for (const [typed, shown] of lines) {
    session.type(`${typed}\r`);
    await session.waitFor(shown);
  }
  session.type('/quit\r');
  expect((await session.exit).exitCode).toBe(0);
}

const next = ['-c', '--sandbox', '--dry-run', 'next'];

test('X18: natter -c keeps the model after /compare', async () => {
  const data = createDataFolder();
  await converse(
    data,
    ['[sandbox echo] hello', /^origin: hello\nYou:/m],
    ['/compare', /version 2 of 2 \(1 by origin, 2 by nextgen\); \/version switches/],
  );
  const { stdout } = await data.run(next);
  expect(JSON.parse(stdout)).toMatchObject({ request: { body: { model: 'origin' } } });
});

test('X19: after /undo, natter -c, show, export and last omit the exchange', async () => {
  const data = createDataFolder();
  await converse(
    data,
    ['[sandbox echo] first', /^origin: first\nYou:/m],
    ['[sandbox echo] second', /^origin: second\nYou:/m],
    ['/undo', /the prompt "\[sandbox echo\] second" and its answer are removed/],
  );
  const { stdout } = await data.run(next);
  expect(stdout).toContain('first');
  expect(stdout).not.toContain('second');
  for (const words of [
    ['conversations', 'show', 'latest'],
    ['conversations', 'export', 'latest'],
    ['last'],
  ]) {
    const shown = await data.run(words);
    expect(shown.stdout).toContain('first');
    expect(shown.stdout).not.toContain('second');
  }
});

test.each<[string, readonly string[]]>([
  ['a conversation', []],
  ['line mode', ['--accessible']],
])('/compare in %s shows the second answer and the figures of both', async (_, words) => {
  const session = openTerminal(['--sandbox', ...words], { columns: 120 });
  await session.waitFor(/type a prompt|You:/);
  session.type('[sandbox echo] hello\r');
  await session.waitFor(/^(?:origin: )?hello$/m);
  session.type('/compare nextgen\r');
  await session.waitFor(
    /^(?:nextgen: )?hello\n\s*(?:natter:\n)?version 1: origin(?: ·|,) .*\nversion 2: nextgen(?: ·|,) /m,
  );
  await session.waitFor(
    /version 2(?:\/| of )2 \(1 (?:by )?origin, 2 (?:by )?nextgen\); \/version switches/,
  );
  session.type('/quit\r');
  expect((await session.exit).exitCode).toBe(0);
});
