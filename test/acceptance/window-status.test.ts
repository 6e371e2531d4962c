import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { serviceAt } from '../support/natter.ts';
import { streamed } from '../support/raw-replies.ts';
import { serve } from '../support/serve.ts';
import { openTerminal } from '../support/terminal.ts';

/** The titles of the window, in order. */
const titlesIn = (output: string) =>
  [...output.matchAll(/\u001B\]2;([^\u0007]*)\u0007/g)].map(([, title]) => title);

/** Puts back the progress of the tab, and the title. */
const putBack = '\u001B]9;4;0;\u0007\u001B[23;2t';

const shown = { NATTER_PROGRESS: 'on', NATTER_WINDOW_TITLE: 'on' };

test('--every shows the lines it answers in the title of the window', async () => {
  const shell = String.raw`printf 'a\nb\n' | $NATTER --sandbox --every 1l "[sandbox echo]ask"`;
  const session = openTerminal([], { shell, env: shown });
  await session.exit;
  expect(titlesIn(session.output())).toEqual([
    'line 1 - natter --every',
    'natter --every',
    'line 2 - natter --every',
    'natter --every',
  ]);
  expect(session.output()).toContain('\u001B]9;4;3;');
  expect(session.output().endsWith(putBack)).toBe(true);
});

test('--every -q shows nothing in the title', async () => {
  const shell = String.raw`printf 'a\n' | $NATTER --sandbox -q --every 1l "[sandbox echo]ask"`;
  const session = openTerminal([], { shell, env: shown });
  await session.exit;
  expect(session.output()).not.toContain('\u001B]2;');
});

test('--split shows the share of the answered pieces in the title of the window', async () => {
  const server = await serve([[600, streamed('part')]]);
  const state = mkdtempSync(join(tmpdir(), 'natter-split-'));
  writeFileSync(join(state, 'models.json'), JSON.stringify({ [server.url]: { origin: 800 } }));
  const file = join(state, 'text.txt');
  writeFileSync(file, `${'x'.repeat(60)}\n`.repeat(600));
  const env = serviceAt(server, { ...shown, NATTER_STATE_DIR: state });
  const words = ['--split', 'lines', '--max-tokens', '50', '-f', file, 'count'];
  const session = openTerminal(words, { env });
  await session.exit;
  const titles = titlesIn(session.output());
  expect(titles[0]).toBe('0% - natter --split');
  expect(titles.length).toBeGreaterThan(1);
  expect(session.output()).toContain(putBack);
});
