// Runs the README's commands in a pseudo-terminal, for the outputs that the README shows.
import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { sandboxKey } from '../../src/sandbox/keys.ts';
import { startSandbox } from '../../src/sandbox/server.ts';
import { blocksOf } from '../../test/support/guide-blocks.ts';
import { spawnOnTerminal } from '../../test/support/pseudo-terminal.ts';
import { createEmulator, unwrappedLines } from '../../test/support/screen.ts';
import { createHome, scriptedPrompts, startScriptedService } from '../pictures/scripted-service.ts';

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
  return blocksOf('README.md', readme).flatMap(({ text, output }) =>
    output === undefined ? [] : [{ commands: text, output }],
  );
}

const isConversation = (commands: string) => commands === 'natter\n';

/** What a terminal shows of the commands. */
async function printed(commands: string, env: Record<string, string>): Promise<string> {
  const terminal = createEmulator(columns, rows);
  // The first example of the README also installs.
  const runnable = commands.replace(/^npm ci && npx /, '');
  const child = spawnOnTerminal('/bin/bash', ['--norc', '-c', runnable], {
    name: 'xterm-256color',
    cols: columns,
    rows,
    cwd: env['HOME'] ?? '',
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
  return text().replaceAll(/ +$/gm, '').trim();
}

/** As long as the README shows it: an output that ends with `…` is cut. */
function cutAs(output: string, shown: string): string {
  const lines = shown.trimEnd().split('\n');
  if (lines.at(-1) !== '…') return `${output}\n`;
  return `${[...output.split('\n').slice(0, lines.length - 1), '…'].join('\n')}\n`;
}

/** Runs each example in its own home, and returns what the README has to show. */
export async function openExamples() {
  const sandbox = await startSandbox();
  const scripted = await startScriptedService({ isHurried: true });
  const seed = createHome({ git: `exec cat "${resolve('docs/pictures/change.diff')}"` });
  const environment = { ...seed.environment, NATTER_API_KEY: sandboxKey };
  writeFileSync(join(seed.home, 'prompts.txt'), 'name a colour\nname an animal\n');
  // The examples are of someone who has sent a prompt before.
  await promisify(execFile)('natter', ['--no-stdin', 'why is the sky blue?'], {
    cwd: seed.home,
    env: { ...environment, NATTER_BASE_URL: scripted.url },
  });
  const prompts = [...scriptedPrompts(), 'prompts.txt'];
  return {
    async run({ commands, output }: Example): Promise<string> {
      const isScripted =
        isConversation(commands) ||
        (!commands.includes('--sandbox') && prompts.some((prompt) => commands.includes(prompt)));
      const home = mkdtempSync(join(tmpdir(), 'natter-readme-'));
      cpSync(seed.home, home, { recursive: true, preserveTimestamps: true });
      const { url } = isScripted ? scripted : sandbox;
      const env = { ...environment, HOME: home, NATTER_BASE_URL: url };
      const text = await printed(commands, env).finally(() => rmSync(home, { recursive: true }));
      return cutAs(text.replaceAll(url, exampleAddress).replaceAll(home, '~'), output);
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
