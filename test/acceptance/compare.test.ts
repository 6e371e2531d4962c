import { describe, expect, test } from 'vitest';
import { pathOf } from '../../src/conversation/tree.ts';
import { createDataFolder } from '../support/data-folder.ts';
import { openHeldSandbox, faultsOf, serviceWith } from '../support/held-sandbox.ts';
import { runInMemory } from '../support/in-memory.ts';
import { jsonLines, startNatter } from '../support/natter.ts';
import { openTerminal } from '../support/terminal.ts';

const slow = (model: string, tokens: number) => {
  return { when: { model }, reply: 'tokens', tokens, rate: 200 };
};

/** A comparison in 120 columns whose two answers pause in the middle until `finish`. */
async function openHeld(rules: readonly object[]) {
  const { env, pass, release } = await openHeldSandbox({ faults: faultsOf(rules) });
  const options = { columns: 120, env: { ...env, NO_COLOR: '1' } };
  const session = openTerminal(['compare', '--plain', 'hi'], options);
  await pass(300, 2);
  return { session, finish: release };
}

describe('on a terminal', () => {
  test('of 120 columns answers are side by side and complete', async () => {
    const { session, finish } = await openHeld([slow('origin', 300), slow('nextgen', 120)]);
    await session.waitFor(/~\d+ tokens.*│ .*~\d+ tokens/);
    finish();
    const { exitCode } = await session.exit;
    const rows = (await session.transcript()).split('\n');
    expect(exitCode).toBe(0);
    expect(rows[0]).toMatch(/^origin +│ nextgen$/);
    const column = (index: number) =>
      rows
        .slice(2)
        .filter((row) => row.includes('│'))
        .map((row) => row.split('│')[index]?.trim() ?? '')
        .join(' ')
        .replaceAll(/\s+/g, ' ')
        .trim();
    const alone = async (model: string, tokens: number) => {
      const words = ['--sandbox', '-m', model, `[sandbox tokens tokens=${tokens}] hi`];
      return (await runInMemory(words)).stdout.replaceAll(/\s+/g, ' ').trim();
    };
    expect(column(0)).toBe(await alone('origin', 300));
    expect(column(1)).toBe(await alone('nextgen', 120));
    expect(rows.at(-3)).toMatch(/^model +first text +tokens\/s/);
    expect(rows.at(-2)).toMatch(/^origin .* 300 .* stop$/);
    expect(session.output()).not.toMatch(/\u001B\[[23]J/);
  });

  test('Ctrl+C keeps the text received, on the screen and on disk', async () => {
    const data = createDataFolder();
    const service = await serviceWith(slow('origin', 5000), slow('nextgen', 5000));
    const env = { ...service, NO_COLOR: '1', ...data.env };
    const session = openTerminal(['compare', 'hi'], { columns: 120, env });
    await session.waitFor(/^A word wind .* │ A word wind /m);
    // For a typed Ctrl+C, the system would discard the output that this test has not read yet.
    session.kill('SIGINT');
    expect((await session.exit).signal).toBe(2);
    expect(await session.transcript()).toMatch(/^A word wind .* │ A word wind /m);
    expect(await session.transcript()).toContain('(cut: stopped)');
    const conversation = data.only();
    const answer = pathOf(conversation).at(-1);
    expect(answer).toMatchObject({ model: 'origin', incomplete: true });
    expect(answer?.content).toMatch(/^A word wind/);
    expect((await session.modes()).cursorHidden).toBe(false);
  });
});

test('a stopped answer is marked in the document of --json', async () => {
  const words = ['--sandbox', 'compare', '--json', '[sandbox tokens tokens=5000 rate=100] hi'];
  const running = startNatter(words, { env: { NATTER_DEBUG: '1' } });
  await running.waitFor('stderr', /(?:is answered[^]*){2}/);
  running.child.kill('SIGINT');
  const { stdout, signal } = await running.result;
  expect(signal).toBe('SIGINT');
  const error = { kind: 'incomplete', message: 'the answer is incomplete: natter was stopped' };
  const end = { error, finish_reason: null, incomplete: true };
  const answers = ['origin', 'nextgen'].map((asked) => ({ asked, ...end }));
  expect(jsonLines(stdout)).toMatchObject([{ answers }]);
});
