import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { clears, keys, leave, openRepl, paste, screenWith } from '../support/repl-terminal.ts';
import { openTerminal } from '../support/terminal.ts';

const words = Array.from({ length: 120 }, (_, index) => `word${index}`).join(' ');
const answer = `[sandbox echo rate=40] ${words}`;

/** The answer as the transcript has it, its rows joined. */
function answerIn(transcript: string): string {
  return /\n(word0 [^]*?word119)\n/.exec(transcript)?.[1]?.replaceAll(/\s+/g, ' ') ?? '';
}

test('keys, pastes and menus during an answer do not change its text', async () => {
  const terminal = await openRepl(['--sandbox'], { columns: 60 });
  terminal.type(`${answer}\r`);
  await screenWith(terminal, /^word0 word1/m);
  for (const typed of ['a draft', ' é日', keys.up, keys.down, paste('pasted text')]) {
    terminal.type(typed);
    await sleep(50);
  }
  await screenWith(terminal, /Esc stops[^]*› a draft é日pasted text/);
  terminal.type('\u0015/he');
  await screenWith(terminal, /Esc stops[^]*› \/he[^]*\/help/);
  terminal.type('\u0015');
  terminal.type(`[sandbox echo] queued${keys.enter}`);
  await screenWith(terminal, /\nqueued\n/);
  expect(answerIn(await terminal.transcript())).toBe(words);
  expect(terminal.output()).not.toMatch(clears);
  expect(await leave(terminal)).toBe(0);
});

test('in plain lines, text typed during an answer appears with the next question', async () => {
  const terminal = openTerminal(['--sandbox', '--accessible'], { columns: 60 });
  await terminal.waitFor(/You:/);
  terminal.type(`${answer}\r`);
  await terminal.waitFor(/origin: word0/);
  terminal.type('[sandbox echo] ahead');
  await terminal.waitFor(/word119\nYou: \[sandbox echo\] ahead/);
  const [, shown = ''] = /origin: (word0[^]*?word119)\n/.exec(await terminal.transcript()) ?? [];
  expect(shown.replaceAll(/\s+/g, ' ')).toBe(words);
  terminal.type(keys.enter);
  await terminal.waitFor(/origin: ahead\nYou:/);
  expect(await leave(terminal)).toBe(0);
});
