import { expect, test } from 'vitest';
import { openTerminal } from '../support/terminal.ts';

test.each<[string, readonly string[]]>([
  ['a conversation', []],
  ['a conversation of plain lines', ['--accessible']],
])('/compare in %s shows the other answer and the figures of both', async (_, words) => {
  const session = openTerminal(['--sandbox', ...words], { columns: 120 });
  await session.waitFor(/type a prompt|You:/);
  session.type('[sandbox echo] hello\r');
  await session.waitFor(/^(?:origin: )?hello$/m);
  session.type('/compare nextgen\r');
  await session.waitFor(
    /^(?:nextgen: )?hello\n\s*(?:natter:\n)?version 1: origin · .*\nversion 2: nextgen · /m,
  );
  await session.waitFor(/version 2\/2; \/version switches/);
  session.type('/quit\r');
  expect((await session.exit).exitCode).toBe(0);
});
