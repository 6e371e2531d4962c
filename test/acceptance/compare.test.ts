import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { pathOf } from '../../src/conversation/tree.ts';
import { parseScenario } from '../../src/sandbox/faults/fault-rules.ts';
import { sandboxKey } from '../../src/sandbox/keys.ts';
import { startSandbox } from '../../src/sandbox/server.ts';
import { openHeldSandbox } from '../support/held-sandbox.ts';
import { runNatter, startNatter } from '../support/natter.ts';
import { openTerminal, type TerminalOptions } from '../support/terminal.ts';
import { createDataFolder } from '../support/data-folder.ts';

const faultsOf = (rules: readonly object[]) => parseScenario(JSON.stringify({ rules }), 'rules');

/** Starts a sandbox with fault rules; returns the environment of a natter that uses it. */
async function serviceWith(...rules: readonly object[]) {
  const sandbox = await startSandbox({ faults: faultsOf(rules) });
  onTestFinished(() => sandbox.close());
  return { NATTER_BASE_URL: sandbox.url, NATTER_API_KEY: sandboxKey, NATTER_RETRIES: '0' };
}

const reset = { when: { model: 'nextgen' }, reply: 'echo', cut: 'rst', 'cut-after': 3 };

describe('in a pipe', () => {
  test('answers are exactly the bytes of the service, each under its heading', async () => {
    const env = await serviceWith();
    const bytesOf = async (model: string) => {
      const { stdout } = await runNatter(['-m', model, '[sandbox hostile]'], { env });
      return stdout.endsWith('\n') ? stdout : `${stdout}\n`;
    };
    const { code, stdout } = await runNatter(['compare', '[sandbox hostile]'], { env });
    const [origin, nextgen] = [await bytesOf('origin'), await bytesOf('nextgen')];
    expect(code).toBe(0);
    expect(stdout).toBe(`==> origin <==\n${origin}\n==> nextgen <==\n${nextgen}`);
  });

  test('standard input is sent to each model', async () => {
    const { code, stdout } = await runNatter(['compare', '--sandbox', '[sandbox echo] this:'], {
      input: 'piped in',
    });
    expect(code).toBe(0);
    expect(stdout.match(/piped in/g)).toHaveLength(2);
  });

  test('a failed model does not affect the other, and its cause has the exit code', async () => {
    const env = await serviceWith(reset);
    const { code, stdout, stderr } = await runNatter(['compare', 'one two three four five'], {
      env,
    });
    expect(code).toBe(11);
    expect(stdout).toContain('==> origin <==\n**This is the natter sandbox.**');
    expect(stdout).toContain('==> nextgen <==\none two');
    expect(stderr).toMatch(/^natter: nextgen: the answer is incomplete/m);
    expect(stderr).toMatch(/^nextgen\t.*\tincomplete$/m);
  });

  test('the hint of a rejected key names the variable that has it', async () => {
    const env = { ...(await serviceWith(reset)), NATTER_API_KEY: 'wrong' };
    const { code, stderr } = await runNatter(['compare', 'hi'], { env });
    expect(code).toBe(4);
    expect(stderr).toContain('  the key is from NATTER_API_KEY: correct it, or unset it');
  });

  test('a reader that closes the pipe early causes no error', async () => {
    const running = startNatter(['compare', '--sandbox', '[sandbox million rate=20000]']);
    await running.waitFor('stdout', /./);
    running.child.stdout?.destroy();
    const { stderr } = await running.result;
    expect(stderr).toBe('');
  });
});

const slow = (model: string, tokens: number) => {
  return { when: { model }, reply: 'tokens', tokens, rate: 200 };
};

async function open(words: readonly string[], rules: readonly object[], options: TerminalOptions) {
  const env = { ...(await serviceWith(...rules)), NO_COLOR: '1', ...options.env };
  return openTerminal(['compare', ...words], { ...options, env });
}

/** A comparison in 120 columns whose two answers pause in the middle until `finish`. */
async function openHeld(rules: readonly object[], shell = '$NATTER compare --plain hi') {
  const { env, pass, release } = await openHeldSandbox({ faults: faultsOf(rules) });
  const session = openTerminal([], { columns: 120, shell, env: { ...env, NO_COLOR: '1' } });
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
      return (await runNatter(words)).stdout.replaceAll(/\s+/g, ' ').trim();
    };
    expect(column(0)).toBe(await alone('origin', 300));
    expect(column(1)).toBe(await alone('nextgen', 120));
    expect(rows.at(-3)).toMatch(/^model +first text +tokens\/s/);
    expect(rows.at(-2)).toMatch(/^origin .* 300 .* stop$/);
    expect(session.output()).not.toMatch(/\u001B\[[23]J/);
  });

  test('of 50 columns answers are one below the other', async () => {
    const session = await open(['[sandbox echo] hi'], [], { columns: 50 });
    const { exitCode } = await session.exit;
    expect(exitCode).toBe(0);
    expect(await session.transcript()).toMatch(
      /^==> origin <==\nhi\n\n==> nextgen <==\nhi\n\norigin · /,
    );
  });

  test('TERM=dumb and NATTER_ACCESSIBLE give plain lines without escape sequences', async () => {
    for (const env of [{ TERM: 'dumb' }, { NATTER_ACCESSIBLE: '1' }]) {
      const session = await open(['[sandbox echo] hi'], [], { columns: 120, env });
      await session.exit;
      expect(session.output()).not.toContain('\u001B');
      expect(session.output()).toContain('==> nextgen <==');
    }
  });

  test.each([
    ['dark', true],
    ['plain', false],
  ])('the theme %s applies to columns', async (theme, isColored) => {
    const words = ['--theme', theme, '[sandbox echo] # Title'];
    const env = { NO_COLOR: '', TERM: 'xterm-256color' };
    const session = await open(words, [], { columns: 120, env });
    await session.exit;
    expect(/\u001B\[[\d;]*m(?:\u001B\[[\d;]*m)*Title/.test(session.output())).toBe(isColored);
  });

  test('T1 hostile text cannot control the terminal in columns', async () => {
    const session = await open(['--diff', '[sandbox hostile] hi'], [], { columns: 120 });
    const { exitCode } = await session.exit;
    expect(exitCode).toBe(0);
    // The title of the window and the progress in its tab.
    const windows = /\u001B\](?:2;[^\u0000-\u001F]*|9;4;\d;?\d*)\u0007|\u001B\[2[23];2t/g;
    const sequences = [
      ...session
        .output()
        .replaceAll(windows, '')
        .matchAll(/\u001B(?:\[[\d;?]*[A-Za-z]|.)/g),
    ];
    const known = /^\u001B(?:\[\?(?:25|7|2026)[hl]|\[\d*[ABCDK]|\[2K|\[0?m|[78])$/;
    expect(sequences.map(([found]) => found).filter((found) => !known.test(found))).toEqual([]);
    expect(await session.transcript()).toContain(
      'control or hidden characters of the answer not shown',
    );
  });

  test('resizing the window loses no text', async () => {
    const { session, finish } = await openHeld([slow('origin', 300), slow('nextgen', 300)]);
    await session.waitFor(/~\d{2,} tokens/);
    session.resize(90, 24);
    finish();
    await session.exit;
    const shown = await session.transcript();
    const { stdout } = await runNatter(['--sandbox', '[sandbox tokens tokens=300] hi']);
    const end = stdout.trim().split(/\s+/).slice(-4).join(' ');
    expect(shown).toContain(end);
    expect(shown).toMatch(/^origin .* 300 .* stop$/m);
  });

  test.skipIf(process.platform === 'win32')(
    'Ctrl+Z returns to the shell, and fg continues',
    async () => {
      const shell = 'set -m; $NATTER compare --plain hi; echo between; fg';
      const rules = [slow('origin', 200), slow('nextgen', 200)];
      const { session, finish } = await openHeld(rules, shell);
      await session.waitFor(/~\d{2,} tokens/);
      session.type('\u001A');
      await session.waitFor(/^between$/m);
      finish();
      await session.exit;
      const shown = await session.transcript();
      const { stdout } = await runNatter(['--sandbox', '[sandbox tokens tokens=200] hi']);
      const rows = shown.split('\n').filter((row) => row.includes(' │ '));
      const column = rows.slice(1).map((row) => row.split(' │ ')[1]);
      expect(column.join(' ').replaceAll(/\s+/g, ' ').trim()).toBe(
        stdout.replaceAll(/\s+/g, ' ').trim(),
      );
      expect(shown).toMatch(/^between\n.*compare/m);
    },
  );

  test('Ctrl+C keeps the text received, on the screen and on disk', async () => {
    const data = createDataFolder();
    const rules = [slow('origin', 5000), slow('nextgen', 5000)];
    const env = { NATTER_DATA_DIR: data.path };
    const session = await open(['hi'], rules, { columns: 120, env });
    await session.waitFor(/~\d{2,} tokens/);
    session.type('\u0003');
    const { signal } = await session.exit;
    expect(signal).toBe(2);
    expect(await session.transcript()).toMatch(/^A word wind .* │ A word wind /m);
    expect(await session.transcript()).toContain('(cut: stopped)');
    const conversation = data.only();
    const answer = pathOf(conversation).at(-1);
    expect(answer).toMatchObject({ model: 'origin', incomplete: true });
    expect(answer?.content).toMatch(/^A word wind/);
    expect((await session.modes()).cursorHidden).toBe(false);
  });
});

test('a model with a profile uses the address and the key of that profile', async () => {
  const env = await serviceWith();
  const other = await serviceWith({ reply: 'echo' });
  const config = mkdtempSync(join(tmpdir(), 'natter-compare-'));
  const local = { 'base-url': other.NATTER_BASE_URL };
  const credential = { apiKey: sandboxKey, baseUrl: other.NATTER_BASE_URL };
  writeFileSync(join(config, 'config.json'), JSON.stringify({ profiles: { local } }));
  writeFileSync(
    join(config, 'credentials.json'),
    JSON.stringify({ profiles: { local: credential } }),
    {
      mode: 0o600,
    },
  );
  const { code, stdout } = await runNatter(['compare', '-m', 'origin,local:origin', 'hello you'], {
    env: { ...env, NATTER_CONFIG_DIR: config },
  });
  expect(code).toBe(0);
  expect(stdout).toMatch(/==> origin <==\n\*\*This is the natter sandbox/);
  expect(stdout).toMatch(/==> local:origin <==\nhello you\n$/);
});
