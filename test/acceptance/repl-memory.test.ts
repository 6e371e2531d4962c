import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { serviceAt, temporaryHome } from '../support/natter.ts';
import { chunk, delta, done, lastChunk, streamHead } from '../support/raw-replies.ts';
import { leave } from '../support/repl-terminal.ts';
import { serve } from '../support/serve.ts';
import { openTerminal } from '../support/terminal.ts';

test("V8's young generation does not grow during a long answer", async () => {
  const answer = delta('abcde ').repeat(100_000) + delta('the end') + done;
  const server = await serve([[streamHead(), chunk(answer), lastChunk]]);
  const file = join(temporaryHome(), 'young-generation');
  const preload = `--require=${resolve('test/support/young-generation.cjs')}`;
  const env = { ...serviceAt(server), NODE_OPTIONS: preload, YOUNG_GENERATION: file };
  const terminal = openTerminal(['-i', 'hi'], { env });
  await terminal.waitFor(/the end[^]*tokens/);
  expect(await leave(terminal)).toBe(0);
  expect(Number(readFileSync(file, 'utf8'))).toBeLessThan(16_000_000);
});
