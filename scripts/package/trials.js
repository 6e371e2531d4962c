import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { temporaryFolder } from './temporary-folder.js';

/** Common command lines, with the expected exit code and standard output. */
const trials = [
  { words: ['--version'], holds: /^\d+\.\d+\.\d+\n$/ },
  { words: ['--help'], holds: /Usage: natter/ },
  { words: ['--sandbox', 'hi'], holds: /hi/ },
  { words: ['--sandbox', 'sum up'], input: 'piped in', holds: /piped in/ },
  { words: ['--sandbox', '--json', 'hi'], holds: /^\{.*"content"/s },
  { words: ['--sandbox', '--markdown', '--color', 'always', '[sandbox code]'], holds: /\u001B\[/ },
  { words: ['--sandbox', '[sandbox fin cut-after=5] hi'], code: 11, holds: /./ },
  { words: ['models', 'list', '--sandbox'], holds: /^origin\t/ },
  { words: ['config', 'set', 'model', 'nextgen'], holds: /^/ },
  { words: ['config', 'get', 'model'], holds: /^nextgen\n$/ },
  { words: ['conversations', 'list', '--json'], holds: /"title": "hi"/ },
  { words: ['last'], holds: /./ },
  { words: ['completion', 'bash'], holds: /complete -F _natter natter/ },
  { words: ['--bogus'], code: 2, holds: /^$/ },
];

/**
 * Runs natter with common command lines, in a new home. `command` starts natter: a program and its first words.
 * @returns the number of command lines
 * @throws Error for the first unexpected result
 */
export function runTrials([file, ...first]) {
  const home = temporaryFolder('home');
  const folders = {
    NATTER_CONFIG_DIR: 'config',
    NATTER_DATA_DIR: 'data',
    NATTER_STATE_DIR: 'state',
  };
  const env = { PATH: process.env.PATH, SystemRoot: process.env.SystemRoot, HOME: home };
  for (const [name, folder] of Object.entries(folders)) env[name] = join(home, folder);
  for (const { words, input = '', code = 0, holds } of trials) {
    const { status, stdout, stderr } = spawnSync(file, [...first, ...words], {
      env,
      input,
      encoding: 'utf8',
      timeout: 60_000,
    });
    if (status === code && holds.test(stdout)) continue;
    throw new Error(`natter ${words.join(' ')}: code ${status}\n${stdout}\n${stderr}`);
  }
  return trials.length;
}
