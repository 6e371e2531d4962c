import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runProgram } from '../../../src/cli/program.ts';
import { createMemoryContext } from '../../support/memory-context.ts';

const wordsOf = (line: string) =>
  (line.match(/"[^"]*"|\S+/g) ?? []).map((word) => word.replaceAll('"', ''));

/** Runs command lines in sequence with the same settings. @returns the errors of the last one */
async function run(lines: readonly string[]): Promise<string> {
  const environment = { NATTER_CONFIG_DIR: mkdtempSync(join(tmpdir(), 'natter-config-')) };
  let stderr = '';
  for (const line of lines) {
    const memory = createMemoryContext({ environment });
    await runProgram(memory.context, wordsOf(line));
    stderr = memory.stderr();
  }
  return stderr;
}

const noPrice =
  'natter: warning: the model origin has no price in EUR, so no prompt can be sent: natter config set prices.origin "0.5/1.5 EUR"';

test.each([
  [['config set budget 5EUR/month'], `${noPrice}\n`],
  [['config set prices.origin "1/2 EUR"', 'config set budget 5EUR/month'], ''],
  [['config set prices.origin "1/2 USD"', 'config set budget 5EUR/month'], `${noPrice}\n`],
  [['config set budget 5EUR/month --profile work'], `${noPrice} --profile work\n`],
  [['config set budget 900000/day'], ''],
  [['config set model auto', 'config set budget 5EUR/month'], ''],
])('%j warns of a budget that nothing can count: %j', async (lines, warning) => {
  const stderr = await run(lines);
  expect(stderr.split('\n').slice(1).join('\n')).toBe(warning);
});
