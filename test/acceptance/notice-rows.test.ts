import { expect, test } from 'vitest';
import { runInMemory } from '../support/in-memory.ts';
import { openTerminal } from '../support/terminal.ts';

const missing = ['conversations', 'show', 'seagulls'];

test('a failure on a narrow terminal breaks between words, and its command is copied whole', async () => {
  const terminal = openTerminal(missing, { columns: 40 });
  expect((await terminal.exit).exitCode).toBe(6);
  const copied = (await terminal.copied()).trimEnd();
  expect(copied).toBe(await terminal.transcript());
  expect(copied).toMatch(/^natter: .*\n {8}\S/);
  expect(copied).toMatch(/^ *natter conversations search seagulls$/m);
});

test('in a pipe a failure is one line, and its hint another', async () => {
  const { stderr } = await runInMemory(missing, { env: { COLUMNS: '40' } });
  expect(stderr.split('\n')).toHaveLength(3);
});
