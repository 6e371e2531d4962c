// Tries Ctrl+C with Node for Windows: Wine makes the events of a console from the keys of a pseudo-terminal.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { spawn } from '@lydell/node-pty';
import { stripVTControlCharacters } from 'node:util';
import { windowsPath } from './wine.js';

const interrupt = '\u0003';
/** Of a program that Ctrl+C ended, in Node and in shells. */
const interruptedCode = 130;
/** Milliseconds, for a busy machine. */
const limit = 120_000;

/** `waits` are the texts on the terminal after which Ctrl+C is pressed. */
const trials = [
  {
    name: 'Ctrl+C ends an answer',
    words: ['--sandbox', '[sandbox tokens=4000 rate=5] hi'],
    waits: [/A word/],
  },
  {
    name: 'a second Ctrl+C ends a batch whose requests do not end',
    words: ['batch', '--sandbox', 'prompts.txt'],
    waits: [/of 1/, /Ctrl\+C again/],
  },
];

/** Resolves with the exit code; undefined if the program has not ended within the limit. */
function runOnTerminal({ wine, node, folder }, { words, waits }) {
  const program = windowsPath(join(process.cwd(), 'bin/natter.cjs'));
  const child = spawn('wine', [windowsPath(node), program, ...words], {
    cwd: folder,
    env: { ...wine.environment, TERM: 'xterm' },
    cols: 100,
    rows: 30,
  });
  let screen = '';
  let pressed = 0;
  child.onData((text) => {
    screen += text;
    if (!waits[pressed]?.test(stripVTControlCharacters(screen))) return;
    pressed += 1;
    screen = '';
    child.write(interrupt);
  });
  return new Promise((settle) => {
    const timer = setTimeout(() => child.kill('SIGKILL'), limit);
    child.onExit(({ exitCode, signal }) => {
      clearTimeout(timer);
      settle({ code: signal ? undefined : exitCode, pressed, screen });
    });
  });
}

/** @throws an error if one of the trials fails */
export async function tryConsole(place) {
  writeFileSync(join(place.folder, 'prompts.txt'), '[sandbox stall] hi\n');
  for (const trial of trials) {
    const { code, pressed, screen } = await runOnTerminal(place, trial);
    if (code === interruptedCode && pressed === trial.waits.length) continue;
    throw new Error(`${trial.name}: code ${code} after ${pressed} Ctrl+C\n${screen}`);
  }
  return trials.length;
}
