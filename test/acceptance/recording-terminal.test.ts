import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { newPath, writeRecording } from '../recording/recording-fixtures.ts';
import { delta } from '../support/raw-replies.ts';
import { keys, leave, openRepl, sharedHome } from '../support/repl-terminal.ts';
import { expectNoSecret, secretKey } from '../support/secret.ts';
import { openTerminal } from '../support/terminal.ts';

test('on a terminal, notices report a recording and a replay', async () => {
  const tape = newPath();
  const words = ['[sandbox echo] hello'];
  const live = openTerminal(['--sandbox', '--record', tape, ...words], { columns: 200 });
  await live.exit;
  expect(await live.transcript()).toContain(`natter: recording into ${tape}`);
  const replay = openTerminal(['--replay', tape, ...words], { columns: 200 });
  await replay.exit;
  expect(await replay.transcript()).toContain(`natter: replayed from ${tape}`);
});

test('a recorded conversation has the same answers when it is replayed', async () => {
  const tape = newPath();
  const converse = async (words: readonly string[], source: string) => {
    const terminal = await openRepl([...words, '--no-save'], { columns: 120 });
    for (const text of ['first', 'second']) {
      terminal.type(`[sandbox echo] ${text} answer${keys.enter}`);
      await terminal.waitFor(new RegExp(`\\n${text} answer\\n\\norigin · `));
      await terminal.waitFor(new RegExp(`${source} {2}origin`));
    }
    const text = await terminal.transcript();
    expect(await leave(terminal)).toBe(0);
    return text;
  };
  const live = await converse(['--sandbox', '--record', tape], 'sandbox');
  const replayed = await converse(['--replay', tape, '--speed', '10'], 'replay');
  expect(live).toContain(`recording into ${tape}`);
  expect(replayed).toContain(`replayed from ${tape}`);
  const answers = (text: string) => text.match(/^(first|second) answer$/gm);
  expect(answers(replayed)).toEqual(answers(live));
  expect(replayed).toContain('replay  origin');
});

test('a key entered in a replayed conversation is not stored', async () => {
  const ask = { method: 'POST', path: '/v1/chat/completions', type: 'request' };
  const body = { model: 'origin', messages: [{ role: 'user', content: 'hi' }], stream: true };
  const headers = { 'content-type': 'text/event-stream' };
  const tape = writeRecording(
    { exchange: 1, ...ask, body },
    { exchange: 1, type: 'response', status: 401 },
    { exchange: 1, type: 'end' },
    { exchange: 2, type: 'request', method: 'GET', path: '/v1/models' },
    { exchange: 2, type: 'response', status: 200 },
    { exchange: 2, type: 'bytes', text: '{"data":[{"id":"origin"}]}' },
    { exchange: 2, type: 'end' },
    { exchange: 3, ...ask, body },
    { exchange: 3, type: 'response', status: 200, headers },
    { exchange: 3, type: 'bytes', text: `${delta('now it works')}data: [DONE]\n\n` },
  );
  const home = sharedHome();
  const terminal = await openRepl(['--replay', tape, '--speed', 'max'], {
    env: home,
    columns: 120,
  });
  terminal.type(`hi${keys.enter}`);
  await terminal.waitFor(/key/i);
  terminal.type(`${secretKey}${keys.enter}`);
  await terminal.waitFor(/the service is now/);
  terminal.type(`/retry${keys.enter}`);
  const text = await terminal.waitFor(/now it works/);
  expect(await leave(terminal)).toBe(0);
  expectNoSecret(text);
  expect(existsSync(`${home.HOME}/.config/natter`)).toBe(false);
});
