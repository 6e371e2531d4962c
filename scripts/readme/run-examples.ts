// Runs the README's commands in a pseudo-terminal, for the outputs that the README shows.
import { execFile } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { sandboxKey } from '../../src/sandbox/keys.ts';
import { startSandbox } from '../../src/sandbox/server.ts';
import { blocksOf, type GuideBlock } from '../../test/support/guide-blocks.ts';
import { spawnOnTerminal } from '../../test/support/pseudo-terminal.ts';
import { createEmulator, unwrappedLines } from '../../test/support/screen.ts';
import { scriptedPrompts, startScriptedService } from '../pictures/scripted-service.ts';

/** A block of commands in the README, and the block with their output. */
export interface Example {
  readonly commands: string;
  readonly output: string;
}

const columns = 80;
const rows = 50;
const exampleAddress = 'https://api.example.com';
/** Sent in the conversation that `natter` opens. */
const conversationPrompt = 'and at sunset?';

export function readmeExamples(readme: string): readonly Example[] {
  const withOutput = (block: GuideBlock): readonly Example[] =>
    block.output === undefined ? [] : [{ commands: block.text, output: block.output }];
  return blocksOf('README.md', readme).flatMap(withOutput);
}

/** The commands that run: the first example of the README also installs. */
const runnable = (commands: string) => commands.replace(/^npm ci && npx /, '');

const isConversation = (commands: string) => commands === 'natter\n';

function writePrograms(folder: string): void {
  const diff = resolve('docs/pictures/change.diff');
  const programs = {
    natter: `exec "${process.execPath}" "${resolve('bin/natter.cjs')}" "$@"`,
    git: `exec cat "${diff}"`,
  };
  mkdirSync(folder);
  for (const [name, command] of Object.entries(programs)) {
    writeFileSync(join(folder, name), `#!/bin/sh\n${command}\n`);
    chmodSync(join(folder, name), 0o755);
  }
}

/** A home in which one prompt was sent. */
async function prepareHome(
  environmentOf: (home: string) => Record<string, string>,
): Promise<string> {
  const home = mkdtempSync(join(tmpdir(), 'natter-readme-'));
  writePrograms(join(home, 'bin'));
  writeFileSync(join(home, 'prompts.txt'), 'name a colour\nname an animal\n');
  const words = ['--no-stdin', 'why is the sky blue?'];
  await promisify(execFile)('natter', words, { cwd: home, env: environmentOf(home) });
  return home;
}

/** What a terminal shows of the commands. */
async function printed(
  commands: string,
  home: string,
  env: Record<string, string>,
): Promise<string> {
  const terminal = createEmulator(columns, rows);
  const child = spawnOnTerminal('/bin/bash', ['--norc', '-c', runnable(commands)], {
    name: 'xterm-256color',
    cols: columns,
    rows,
    cwd: home,
    env,
  });
  const text = () => unwrappedLines(terminal).join('\n');
  child.onData((data) => terminal.write(data));
  terminal.onData((data) => child.write(data));
  const exit = new Promise<void>((done) => {
    child.onExit(() => terminal.write('', done));
  });
  if (isConversation(commands)) {
    while (!text().includes('type a prompt')) await sleep(20);
    child.write(conversationPrompt);
    while (!text().includes(conversationPrompt)) await sleep(20);
    child.write('\r');
    while (!/ · \d+ tokens$/m.test(text())) await sleep(20);
    child.write('\u0004');
  }
  await exit;
  return text()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
    .trim();
}

/** As long as the README shows it: an output that ends with `…` is cut. */
function cutAs(output: string, shown: string): string {
  const lines = shown.trimEnd().split('\n');
  if (lines.at(-1) !== '…') return `${output}\n`;
  return `${[...output.split('\n').slice(0, lines.length - 1), '…'].join('\n')}\n`;
}

/** Runs each example in its own home, and returns what the README has to show. */
export async function openExamples() {
  const [sandbox, scripted] = [
    await startSandbox(),
    await startScriptedService({ isHurried: true }),
  ];
  const environmentOf = (home: string, url = sandbox.url) => ({
    PATH: [join(home, 'bin'), process.env['PATH']].join(delimiter),
    HOME: home,
    LANG: 'C.UTF-8',
    TERM: 'xterm-256color',
    NATTER_BASE_URL: url,
    NATTER_API_KEY: sandboxKey,
  });
  const seed = await prepareHome((home) => environmentOf(home, scripted.url));
  const prompts = [...scriptedPrompts(), 'prompts.txt'];
  return {
    async run({ commands, output }: Example): Promise<string> {
      const isScripted =
        isConversation(commands) ||
        (!commands.includes('--sandbox') && prompts.some((prompt) => commands.includes(prompt)));
      const home = mkdtempSync(join(tmpdir(), 'natter-readme-'));
      cpSync(seed, home, { recursive: true, preserveTimestamps: true });
      const { url } = isScripted ? scripted : sandbox;
      const text = await printed(commands, home, environmentOf(home, url));
      const shown = text.replaceAll(url, exampleAddress).replaceAll(home, '~');
      return cutAs(shown, output);
    },
    async close() {
      await sandbox.close();
      await scripted.close();
    },
  };
}

/** Without what differs from run to run: figures except exit codes, the widths of their columns, and ids. */
export const withoutFigures = (text: string) =>
  text
    .replaceAll(/(?<=--resume )[a-z\d]{8}\b/g, 'ID')
    .replaceAll(/(?<!exit code \d*)\d+(\.\d+)?( m?s\b)?/g, 'N')
    .replaceAll(/ +/g, ' ');
