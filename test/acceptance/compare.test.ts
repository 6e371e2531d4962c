import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { pathOf, siblingsOf } from '../../src/conversation/tree.ts';
import { parseScenario } from '../../src/sandbox/faults/scenario.ts';
import { sandboxKey } from '../../src/sandbox/keys.ts';
import { startSandbox } from '../../src/sandbox/server.ts';
import { openHeldSandbox } from '../support/held-sandbox.ts';
import { runNatter, startNatter } from '../support/natter.ts';
import { openTerminal, type TerminalOptions } from '../support/terminal.ts';
import { createDataFolder } from './conversation-support.ts';

const faultsOf = (rules: readonly object[]) => parseScenario(JSON.stringify({ rules }), 'rules');

/** A sandbox that treats models as the rules say, and the environment that leads to it. */
async function serviceWith(...rules: readonly object[]) {
  const sandbox = await startSandbox({ faults: faultsOf(rules) });
  onTestFinished(() => sandbox.close());
  return { NATTER_BASE_URL: sandbox.url, NATTER_API_KEY: sandboxKey, NATTER_RETRIES: '0' };
}

const reset = { when: { model: 'nextgen' }, reply: 'echo', cut: 'rst', 'cut-after': 3 };

describe('in a pipe', () => {
  test('answers are the bytes of the service, each under its heading', async () => {
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

  test('standard input goes along', async () => {
    const { code, stdout } = await runNatter(['compare', '--sandbox', '[sandbox echo] this:'], {
      input: 'piped in',
    });
    expect(code).toBe(0);
    expect(stdout.match(/piped in/g)).toHaveLength(2);
  });

  test('a model that fails leaves the other its answer, and the exit code tells the cause', async () => {
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

  test('a reader that ends early ends it quietly', async () => {
    const running = startNatter(['compare', '--sandbox', '[sandbox million rate=20000]']);
    await running.waitFor('stdout', /./);
    running.child.stdout?.destroy();
    const { stderr } = await running.result;
    expect(stderr).toBe('');
  });
});

test.each(['--json', '--jsonl'])('%s says of each answer that it was stopped', async (format) => {
  const env = await serviceWith({ reply: 'tokens', tokens: 5000, rate: 100 });
  const running = startNatter(['compare', format, 'hi'], { env: { ...env, NATTER_DEBUG: '1' } });
  await running.waitFor('stderr', /(?:is answered[^]*){2}/);
  running.child.kill('SIGINT');
  const { stdout, signal } = await running.result;
  expect(signal).toBe('SIGINT');
  const lines = stdout.trim().split('\n');
  const ends = lines.slice(format === '--json' ? -1 : -2).map((line) => JSON.parse(line) as object);
  const error = { kind: 'incomplete', message: 'the answer is incomplete: natter was stopped' };
  const told = ['origin', 'nextgen'].map((asked) => ({ asked, error }));
  const answers = told.map((answer) => ({ ...answer, finish_reason: null, incomplete: true }));
  if (format === '--json') expect(ends).toMatchObject([{ answers }]);
  else expect(ends).toMatchObject(told.map((end) => ({ ...end, type: 'answer-failed' })));
});

describe('what is kept', () => {
  test('is one conversation with an answer of each model, and goes on with the first', async () => {
    const data = createDataFolder();
    await data.run(['--sandbox', 'compare', '[sandbox echo] hi']);
    const conversation = data.only();
    const [prompt, answer, ...others] = pathOf(conversation);
    expect(others).toEqual([]);
    expect(prompt?.content).toBe('[sandbox echo] hi');
    expect(answer).toMatchObject({ model: 'origin', content: 'hi', finishReason: 'stop' });
    const versions = answer === undefined ? [] : siblingsOf(conversation, answer);
    expect(versions.map(({ model, content }) => [model, content])).toEqual([
      ['origin', 'hi'],
      ['nextgen', 'hi'],
    ]);
  });

  test('goes on with the first that is whole', async () => {
    const data = createDataFolder();
    await data.run(['--sandbox', 'compare', '-m', 'other,nextgen', '[sandbox echo] hi']);
    expect(pathOf(data.only()).at(-1)).toMatchObject({ model: 'nextgen', content: 'hi' });
  });

  test('goes on with the conversation that -c names, and all models are sent what was said', async () => {
    const data = createDataFolder();
    await data.run(['--sandbox', '[sandbox echo] hi']);
    const dry = await data.run(['--sandbox', 'compare', '-c', '--dry-run', 'and now?']);
    const { requests } = JSON.parse(dry.stdout) as { requests: { request: { body: object } }[] };
    const said = ['[sandbox echo] hi', 'hi', 'and now?'].map((content) => ({ content }));
    expect(requests.map(({ request }) => request.body)).toMatchObject([
      { model: 'origin', messages: said },
      { model: 'nextgen', messages: said },
    ]);
    expect(pathOf(data.only())).toHaveLength(2);
    await data.run(['--sandbox', 'compare', '-c', '[sandbox echo] and now?']);
    const path = pathOf(data.only());
    const shown = path.map(({ content }) => content);
    expect(shown).toEqual(['[sandbox echo] hi', 'hi', '[sandbox echo] and now?', 'and now?']);
    const [answer] = path.slice(-1);
    const versions = answer === undefined ? [] : siblingsOf(data.only(), answer);
    expect(versions.map(({ model }) => model)).toEqual(['origin', 'nextgen']);
  });

  test('is nothing with --no-save', async () => {
    const data = createDataFolder();
    await data.run(['--sandbox', 'compare', '--no-save', 'hi']);
    expect(existsSync(join(data.path, 'conversations'))).toBe(false);
  });
});

const slow = (model: string, tokens: number) => {
  return { when: { model }, reply: 'tokens', tokens, rate: 200 };
};

async function open(words: readonly string[], rules: readonly object[], options: TerminalOptions) {
  const env = { ...(await serviceWith(...rules)), NO_COLOR: '1', ...options.env };
  return openTerminal(['compare', ...words], { ...options, env });
}

/** A comparison in 120 columns whose two answers stand still in their middle until `finish`. */
async function openHeld(rules: readonly object[], shell = '$NATTER compare --plain hi') {
  const { env, pass } = await openHeldSandbox({ faults: faultsOf(rules) });
  const session = openTerminal([], { columns: 120, shell, env: { ...env, NO_COLOR: '1' } });
  await pass(300, 2);
  return { session, finish: () => pass(60_000, 2) };
}

describe('on a terminal', () => {
  test('of 120 columns answers stand side by side, and nothing of them is lost', async () => {
    const { session, finish } = await openHeld([slow('origin', 300), slow('nextgen', 120)]);
    await session.waitFor(/~\d+ tokens.*│ .*~\d+ tokens/);
    await finish();
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

  test('of 50 columns they stand one below the other', async () => {
    const session = await open(['[sandbox echo] hi'], [], { columns: 50 });
    const { exitCode } = await session.exit;
    expect(exitCode).toBe(0);
    expect(await session.transcript()).toMatch(
      /^==> origin <==\nhi\n\n==> nextgen <==\nhi\n\norigin · /,
    );
  });

  test('TERM=dumb and NATTER_ACCESSIBLE keep to lines without any escape', async () => {
    for (const env of [{ TERM: 'dumb' }, { NATTER_ACCESSIBLE: '1' }]) {
      const session = await open(['[sandbox echo] hi'], [], { columns: 120, env });
      await session.exit;
      expect(session.output()).not.toContain('\u001B');
      expect(session.output()).toContain('==> nextgen <==');
    }
  });

  test('T1 hostile text controls nothing in columns', async () => {
    const session = await open(['--diff', '[sandbox hostile] hi'], [], { columns: 120 });
    const { exitCode } = await session.exit;
    expect(exitCode).toBe(0);
    const sequences = [...session.output().matchAll(/\u001B(?:\[[\d;?]*[A-Za-z]|.)/g)];
    const known = /^\u001B(?:\[\?(?:25|7|2026)[hl]|\[\d*[ABCDK]|\[2K|\[0?m|[78])$/;
    expect(sequences.map(([found]) => found).filter((found) => !known.test(found))).toEqual([]);
    expect(await session.transcript()).toContain(
      'control or hidden characters of the answer not shown',
    );
  });

  test('a window that is resized loses no text', async () => {
    const { session, finish } = await openHeld([slow('origin', 300), slow('nextgen', 300)]);
    await session.waitFor(/~\d{2,} tokens/);
    session.resize(90, 24);
    await finish();
    await session.exit;
    const shown = await session.transcript();
    const { stdout } = await runNatter(['--sandbox', '[sandbox tokens tokens=300] hi']);
    const end = stdout.trim().split(/\s+/).slice(-4).join(' ');
    expect(shown).toContain(end);
    expect(shown).toMatch(/^origin .* 300 .* stop$/m);
  });

  test.skipIf(process.platform === 'win32')(
    'Ctrl-Z leaves the terminal to the shell, fg goes on',
    async () => {
      const shell = 'set -m; $NATTER compare --plain hi; echo between; fg';
      const rules = [slow('origin', 200), slow('nextgen', 200)];
      const { session, finish } = await openHeld(rules, shell);
      await session.waitFor(/~\d{2,} tokens/);
      session.type('\u001A');
      await session.waitFor(/^between$/m);
      await finish();
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

  test('Ctrl-C keeps what came, on the screen and on disk', async () => {
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

test('a profile that is named with a model is asked at its own address with its own key', async () => {
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
