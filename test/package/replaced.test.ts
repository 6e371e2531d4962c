import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { sandboxKey } from '../../src/sandbox/keys.ts';
import { startSandbox } from '../../src/sandbox/server.ts';
import { cleanEnvironment } from '../support/natter.ts';
import { openTerminal } from '../support/terminal.ts';

/** An installation that a test may damage. */
function installation(): string {
  const folder = mkdtempSync(join(tmpdir(), 'natter-replaced-'));
  cpSync('bin', join(folder, 'bin'), { recursive: true });
  cpSync('package.json', join(folder, 'package.json'));
  cpSync('dist', join(folder, 'dist'), {
    recursive: true,
    filter: (path) => !path.endsWith('.map'),
  });
  return folder;
}

function run(folder: string, words: readonly string[]) {
  const program = join(folder, 'bin/natter.cjs');
  return new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) => {
    const options = { env: cleanEnvironment() };
    const child = execFile(
      process.execPath,
      [program, ...words],
      options,
      (error, stdout, stderr) => resolve({ code: error?.code ?? 0, stdout, stderr }),
    );
    child.stdin?.end();
  });
}

const message =
  'natter: natter was updated while it was running, and its files have changed\n' +
  '  start natter again; natter -c continues the conversation\n';

test.each([
  ['a file it needs', ['prompt.js']],
  ['also the file that reports failures', ['prompt.js', 'report.js']],
])('a natter that misses %s reports it, without a stack trace', async (_, names) => {
  const folder = installation();
  for (const name of names) rmSync(join(folder, 'dist', name));
  expect(await run(folder, ['--sandbox', 'hello'])).toEqual({
    code: 1,
    stdout: '',
    stderr: message,
  });
});

test('a conversation continues while natter is updated', async () => {
  const sandbox = await startSandbox();
  onTestFinished(() => sandbox.close());
  const folder = installation();
  const loaded = join(folder, 'loaded.txt');
  const hook = join(folder, 'hook.mjs');
  writeFileSync(loaded, '');
  writeFileSync(
    join(folder, 'register.mjs'),
    "import { register } from 'node:module'; register('./hook.mjs', import.meta.url);",
  );
  writeFileSync(
    hook,
    `import { appendFileSync } from 'node:fs';
    export async function load(url, context, next) {
      const loaded = await next(url, context);
      appendFileSync(${JSON.stringify(loaded)}, url + '\\n');
      return loaded;
    }`,
  );
  const register = join(folder, 'register.mjs');
  const command = `${process.execPath} --import ${register} ${join(folder, 'bin/natter.cjs')}`;
  const session = openTerminal([], {
    shell: `exec ${command}`,
    env: { NATTER_BASE_URL: sandbox.url, NATTER_API_KEY: sandboxKey },
  });
  await session.waitFor(/›/);
  // Loaded last, after the first frame.
  const preloaded = ['markdown', 'report', 'compile-schema'];
  const isLoaded = (name: string) => readFileSync(loaded, 'utf8').includes(`/${name}.js\n`);
  while (!preloaded.every(isLoaded)) await sleep(20);
  rmSync(join(folder, 'dist'), { recursive: true });
  const enter = async (text: string, answer: RegExp) => {
    session.type(text);
    await session.waitFor(new RegExp(`› ${text.replaceAll(/[[\]]/g, String.raw`\$&`)}`));
    session.type('\r');
    await session.waitFor(answer);
  };
  await enter('hello', /your prompt: hello/);
  await enter('/copy 7', /no code block/);
  await enter('/new', /new conversation[^]*new conversation/);
  await enter('again', /your prompt: again/);
  session.type('\u0004');
  expect((await session.exit).exitCode).toBe(0);
  expect(session.output()).not.toContain('updated while it was running');
});
