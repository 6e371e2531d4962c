import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, realpathSync, symlinkSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { delimiter, join } from 'node:path';
import { expect, test } from 'vitest';
import { folderOf } from '../support/folder.ts';
import { expectFailure, runInMemory } from '../support/in-memory.ts';
import {
  binary,
  cleanEnvironment,
  runNatter,
  serviceAt,
  startSandboxCommand,
  temporaryHome,
} from '../support/natter.ts';
import { createPromptProject } from '../support/prompt-project.ts';
import { startProxy } from '../support/proxy-server.ts';
import { json, response, streamed } from '../support/raw-replies.ts';
import { certificatePath } from '../support/raw-server.ts';
import { openTerminal } from '../support/terminal.ts';
import { expectNoSecret, secretKey } from '../support/secret.ts';
import { serve } from '../support/serve.ts';

const echo = '[sandbox echo]';

test.skipIf(process.platform === 'win32')(
  'an executable file with natter run in its first line runs, with variables and input',
  () => {
    const { folder, write } = createPromptProject();
    write({
      'analyze.md': `#!/usr/bin/env -S natter run\n---\nvariables: { lang: ts }\n---\n${echo}{{lang}}: {{stdin}}\n`,
      'bin/natter': `#!/bin/sh\nexec "${process.execPath}" "${binary}" --sandbox "$@"\n`,
    });
    for (const name of ['analyze.md', 'bin/natter']) chmodSync(join(folder, name), 0o755);
    symlinkSync(join(folder, 'analyze.md'), join(folder, 'bin/analyze'));
    const base = cleanEnvironment();
    const env = { ...base, PATH: [join(folder, 'bin'), base['PATH']].join(delimiter) };
    const options = { cwd: folder, env, input: 'data', encoding: 'utf8' } as const;
    const [file, link] = [join(folder, 'analyze.md'), join(folder, 'bin/analyze')];
    expect(execFileSync(file, ['--lang=js'], options)).toBe('js: data\n');
    expect(execFileSync(link, [], { ...options, cwd: '/' })).toBe('ts: data\n');
  },
);

test.skipIf(process.platform === 'win32')(
  'natter prompts path prints no escape sequences of a name on a terminal, and the exact path in a pipe',
  async () => {
    const target = 'a\u001B]0;title\u0007b.md';
    const { run, folder } = createPromptProject({ [`.natter/prompts/${target}`]: 'x' });
    const prompts = join(folder, '.natter/prompts');
    symlinkSync(target, join(prompts, 'link.md'));
    const words = ['prompts', 'path', 'link'];
    expect((await run(words)).stdout).toBe(`${join(prompts, target)}\n`);
    const session = openTerminal([], { shell: `cd "${folder}" && $NATTER ${words.join(' ')}` });
    await session.exit;
    expect(session.output()).toContain('b.md');
    expect(session.output()).not.toContain('title');
  },
);

test('config paths names the files and folders that natter writes', async () => {
  // Only the built program has a compile cache.
  const env = { HOME: temporaryHome(), NODE_DISABLE_COMPILE_CACHE: '' };
  const run = (...words: string[]) => runNatter(words, { env });
  const { stdout } = await run('config', 'paths');
  const path = new Map(stdout.split('\n').map((row) => row.split('\t') as [string, string]));
  // Node 20 has no compile cache.
  const cached = 'enableCompileCache' in nodeModule ? ['cache'] : [];
  const written = ['settings', 'conversations', 'trash', ...cached];
  await run('config', 'set', 'model', 'nextgen');
  await run('--sandbox', 'hello');
  await run('conversations', 'delete', 'latest');
  expect(written.filter((name) => !existsSync(path.get(name) ?? ''))).toEqual([]);
  expect((await run('config', 'paths', 'trash')).stdout).toBe(`${path.get('trash')}\n`);
});

const limits = ['--first-byte-timeout', '1s', '--idle-timeout', '1s', '--timeout', '2s'];

/** Each fault of the sandbox that changes what the page shows, with the exit code. */
test.each<[string, number, RegExp]>([
  ['--refusal', 14, /FAIL {2}a streamed answer: the model refused to answer/],
  ['--hostile', 0, /ok {4}models: origin, nextgen, red/],
])('with natter sandbox %s the exit code is %i', async (fault, expected, row) => {
  const { url } = await startSandboxCommand(fault.split(' '));
  const env = { NATTER_BASE_URL: url, NATTER_API_KEY: 'sandbox-key' };
  const { code, stdout } = await runInMemory(['doctor', ...limits], { env });
  expect(stdout).toMatch(row);
  expect(code).toBe(expected);
  expect(stdout).not.toMatch(/[\u0000-\u0009\u000B-\u001F\u007F-\u009F\u202E]/);
});

test('K19 a certificate of an authority in NODE_EXTRA_CA_CERTS is trusted, through a proxy too', async () => {
  const server = await serve([[json(200, { data: [{ id: 'origin' }] })]], { tls: true });
  const proxy = await startProxy({ upstream: server.port });
  const env = { NODE_EXTRA_CA_CERTS: certificatePath('authority.pem') };
  const direct = await runNatter(['doctor', '--base-url', server.url], { env });
  expect(direct.stdout).toMatch(/ok .* localhost, signed by natter test authority, is trusted/);
  const proxied = await runNatter(['doctor', '--base-url', 'https://service.test'], {
    env: {
      ...env,
      HTTPS_PROXY: proxy.url.replace('//', `//alice:${encodeURIComponent(secretKey)}@`),
    },
  });
  expect(proxied.stdout).toContain(`requests use the proxy ${proxy.url} of HTTPS_PROXY, with`);
  expect(proxied.stdout).toMatch(/is for a different name.*; the chain is localhost </);
  expect(proxied.stdout).not.toContain('alice');
  expectNoSecret(proxied.stdout, proxied.stderr);
});

/** A web server with a page, and a service that answers `ok`. */
async function openPlaces() {
  const page = response(200, { 'content-type': 'text/html' }, '<h1>Title</h1><p>One</p>');
  const web = await serve([[page]], { tls: true });
  const service = await serve([[streamed('ok')]]);
  const env = { NODE_EXTRA_CA_CERTS: certificatePath('authority.pem'), ...serviceAt(service) };
  return { web, service, env };
}

test('-f with an https: URL attaches the text of the page, without the key', async () => {
  const { web, service, env } = await openPlaces();
  const { code, stdout } = await runNatter(['-f', `${web.url}/a?b=c`, 'sum up'], { env });
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'ok\n' });
  const block = `<file name=\\"${web.url}/a?b=c\\">\\n# Title\\n\\nOne\\n</file>`;
  expect(service.requests[0]?.body).toContain(block);
  expect(web.requests).toHaveLength(1);
  const [{ method, path, headers } = { method: '', path: '', headers: {} }] = web.requests;
  expect({ method, path }).toEqual({ method: 'GET', path: '/a?b=c' });
  expect(Object.keys(headers).sort()).toEqual(['accept', 'connection', 'host', 'user-agent']);
});

test('-f with a URL uses the proxy', async () => {
  const { web, service, env } = await openPlaces();
  const proxy = await startProxy({ upstream: web.port });
  // A name that only the proxy can look up, so the certificate is for a different host.
  const words = ['-f', 'https://pages.test/', 'sum up'];
  const result = await runNatter(words, { env: { ...env, HTTPS_PROXY: proxy.url } });
  expectFailure(result, 10, 'natter: cannot attach https://pages.test/: ');
  expect(proxy.requests).toMatchObject([{ method: 'CONNECT', target: 'pages.test:443' }]);
  expect(service.requests).toEqual([]);
});

test('natter --verbose -V prints versions, the installation folder and how to update', async () => {
  const { stdout } = await runNatter(['--verbose', '-V']);
  expect(stdout).toContain(`node       ${process.versions.node}\n`);
  expect(stdout).toContain(`platform   ${process.platform} ${process.arch}\n`);
  expect(stdout).toContain(`installed  ${realpathSync('.')}\n`);
  expect(stdout).toMatch(/^natter +\d+\.\d+\.\d+\n/);
  expect(stdout).toMatch(/^update {5}\S/m);
});

/** A pager that names itself, shows the first line of its input, and waits for Enter. */
function writePager(): string {
  const script = `#!/bin/sh
echo "LESS is $LESS, key is \${NATTER_API_KEY-none}"
head -n 1
cat > /dev/null
trap 'echo interrupted' INT
echo "paged with \${1:-no word}"
read answer < /dev/tty || read answer < /dev/tty
echo "end of the pager"
`;
  const path = join(folderOf({ pager: script }), 'pager');
  chmodSync(path, 0o755);
  return path;
}

test.each([
  ['--help', ['--help']],
  ['a topic by the full program', ['--quiet', 'help', 'settings']],
])('%s that is longer than the terminal is shown in the pager', async (_name, words) => {
  const env = { NATTER_PAGER: `${writePager()} -x`, NATTER_API_KEY: 'sk-of-the-user' };
  const session = openTerminal(words, { env });
  expect(await session.waitFor(/paged with -x/)).toContain('LESS is FRX, key is none');
  session.type('\r');
  expect((await session.exit).exitCode).toBe(0);
  expect(await session.transcript()).toMatch(/end of the pager$/);
  expect(await session.transcript()).not.toContain('General options:');
});

test('Ctrl+C belongs to the pager', async () => {
  const session = openTerminal(['--help'], { env: { PAGER: writePager() } });
  await session.waitFor(/paged with no word/);
  // Together: a shell that has not begun to read when the signal comes runs its trap after the line.
  session.type('\u0003\r');
  expect((await session.exit).exitCode).toBe(0);
  expect(await session.transcript()).toMatch(/interrupted[^]*end of the pager/);
});

test('help that fits the terminal is printed directly', async () => {
  const session = openTerminal(['-h'], { env: { PAGER: 'false' } });
  expect((await session.exit).exitCode).toBe(0);
  expect(await session.screen()).toBe((await runInMemory(['-h'])).stdout.trimEnd());
});
