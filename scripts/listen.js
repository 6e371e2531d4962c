// Reads the golden transcript of line mode aloud into a WAV file, for a listener: npm run listen [FILE.wav] [TRANSCRIPT]

import { spawnSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';

const [output = 'transcript.wav', transcript = 'test/repl/line-mode/golden/transcript.txt'] =
  process.argv.slice(2);

const lines = readFileSync(transcript, 'utf8').split('\n');
// A pause after each line, as a screen reader makes; words of several lines would run together.
const text = lines.map((line) => (/[.:!?]$/.test(line) ? line : `${line}.`)).join('\n\n');

const { error, status, stderr } = spawnSync('espeak-ng', ['-v', 'en', '-s', '170', '-w', output], {
  input: text,
  encoding: 'utf8',
});

if (error !== undefined) {
  const isMissing = 'code' in error && error.code === 'ENOENT';
  const problem = isMissing
    ? 'espeak-ng is not installed: apt-get install espeak-ng, or brew install espeak-ng'
    : `espeak-ng cannot be started: ${error.message}`;
  process.stderr.write(`${problem}\n`);
  process.exitCode = 1;
} else if (status !== 0) {
  process.stderr.write(`espeak-ng failed with status ${status}: ${stderr.trim()}\n`);
  process.exitCode = 1;
} else {
  const seconds = Math.round((statSync(output).size - 44) / (22_050 * 2));
  process.stdout.write(`${resolve(output)}: ${lines.length} lines, ${seconds} s\n`);
}
