import { expect, test } from 'vitest';
import { runInMemory } from '../support/in-memory.ts';
import { keys, leave, openRepl, screenWith, sharedHome } from '../support/repl-terminal.ts';

const stash = '\u0013';

test('Ctrl+S puts a draft aside, which returns after the next prompt', async () => {
  const terminal = await openRepl();
  terminal.type('a long draft');
  await screenWith(terminal, /› a long draft/);
  terminal.type(stash);
  await screenWith(terminal, /Ctrl\+S restores the stashed draft/);
  terminal.type('[sandbox echo] quick');
  await screenWith(terminal, /after this prompt: the stashed draft/);
  terminal.type(keys.enter);
  await screenWith(terminal, /· 1 token\s*\n[^]*› a long draft/);
  terminal.type(keys.interrupt);
  await screenWith(terminal, /press Ctrl\+C again to quit/);
  terminal.type(keys.interrupt);
  expect((await terminal.exit).exitCode).toBe(0);
});

test('a draft that is put aside survives a kill', async () => {
  const env = sharedHome();
  const first = await openRepl(['--sandbox'], { env });
  first.type('a long draft');
  await screenWith(first, /› a long draft/);
  first.type(stash);
  await screenWith(first, /the stashed draft/);
  first.kill('SIGKILL');
  await first.exit;
  const second = await openRepl(['--sandbox'], { env });
  const shown = await screenWith(second, /› (?:a long draft|type a prompt)/);
  if (!shown.includes('a long draft')) second.type(keys.up);
  await screenWith(second, /› a long draft/);
  second.type(keys.interrupt);
  expect(await leave(second)).toBe(0);
});

test('a key of the profile opens the search', async () => {
  const env = sharedHome();
  const set = await runInMemory(['config', 'set', 'keys.search-start', 'f4'], { env });
  expect(set).toMatchObject({
    code: 0,
    stderr: 'natter: keys.search-start is set to f4 in profile default\n',
  });
  const taken = await runInMemory(['config', 'set', 'keys.undo', 'f4'], { env });
  expect([taken.code, taken.stderr.split('\n')[0]]).toEqual([
    2,
    'natter: f4 of undo is the key of search-start, too',
  ]);
  const listed = await runInMemory(['config', 'keys'], { env });
  expect(listed.stdout).toContain('search-start\tF4\tprofile default\t');
  const terminal = await openRepl(['--base-url', 'http://127.0.0.1:9'], { env });
  terminal.type('\u001BOS');
  await screenWith(terminal, /history:/);
  terminal.type(keys.interrupt);
  expect(await leave(terminal)).toBe(0);
});
