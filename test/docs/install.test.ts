import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { guides } from '../../src/commands/help/guides.ts';
import { sandboxKey } from '../../src/sandbox/keys.ts';
import { startSandbox } from '../../src/sandbox/server.ts';
import { folderOf } from '../support/folder.ts';
import { blocksOf } from '../support/guide-blocks.ts';
import { cleanEnvironment } from '../support/natter.ts';

/** The commands of docs/install.md that start with this word. */
function guideCommands(start: string): readonly string[] {
  const blocks = blocksOf('install.md', readFileSync('docs/install.md', 'utf8'));
  const tested = blocks.filter(({ testedBy }) => testedBy !== undefined);
  const block = tested.find(({ text }) => text.startsWith(start));
  return block?.text.trim().split('\n') ?? [];
}

/** A machine with an empty home and an npm whose folder is `~/.local`. */
function openMachine(service: string) {
  const home = folderOf();
  const env = cleanEnvironment({
    HOME: home,
    NODE_DISABLE_COMPILE_CACHE: '',
    PATH: [join(home, '.local/bin'), process.env['PATH']].join(delimiter),
    NATTER_BASE_URL: service,
    NATTER_API_KEY: sandboxKey,
    npm_config_prefix: join(home, '.local'),
    npm_config_cache: folderOf(),
    npm_config_offline: 'true',
    npm_config_audit: 'false',
  });
  return {
    async run(line: string): Promise<string> {
      const running = promisify(execFile)('/bin/sh', ['-c', line], { env });
      running.child.stdin?.end();
      return (await running).stdout;
    },
    /** Files and folders of natter. */
    traces: () =>
      readdirSync(home, { recursive: true, encoding: 'utf8' }).filter((path) =>
        path.includes('natter'),
      ),
  };
}

// Node 20 has no compile cache.
const cached = 'enableCompileCache' in nodeModule ? ['.cache/natter'] : [];
const folders = ['.config/natter', '.local/share/natter', '.local/state/natter', ...cached];

test(
  'docs/install.md installs natter, and uninstalls it without a trace',
  { timeout: 300_000 },
  async () => {
    const sandbox = await startSandbox();
    onTestFinished(() => sandbox.close());
    const machine = openMachine(sandbox.url);
    const [clean, install = '', paths = ''] = guideCommands('npm ci');
    expect(clean).toBe('npm ci');
    await machine.run(install);
    const stored = await machine.run(paths);
    for (const folder of folders) expect(stored).toContain(folder);
    await machine.run('natter "hello" && natter models list && natter config set model nextgen');
    expect(machine.traces()).toEqual(expect.arrayContaining(folders));
    const uninstall = guideCommands('npm uninstall');
    expect(uninstall).toHaveLength(2);
    for (const line of uninstall) await machine.run(line);
    expect(machine.traces()).toEqual([]);
  },
);

test('the README installs natter as docs/install.md does', () => {
  const block = blocksOf('README.md', readFileSync('README.md', 'utf8')).find(
    ({ testedBy }) => testedBy !== undefined,
  );
  expect(block?.text.trim().split('\n')).toEqual(guideCommands('npm ci').slice(0, 2));
});

/** The words of the commands that remove files or the program. */
const removed = (lines: readonly string[]) =>
  lines.filter((line) => /^(?:rm|npm) /.test(line)).flatMap((line) => line.split(' ').slice(2));

test('natter help uninstall removes what docs/install.md does', () => {
  const typed = guides.uninstall.split('\n').filter((line) => line.startsWith('$ '));
  const lines = typed.map((line) => line.slice(2));
  expect(removed(lines)).toHaveLength(6);
  expect(new Set(removed(lines))).toEqual(new Set(removed(guideCommands('npm uninstall'))));
});
