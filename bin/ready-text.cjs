// Texts that are the same at each start: the version, and the help of each command as the build wrote it. Printed
// before anything of natter is loaded, and without Node's streams, they take hardly longer than Node itself.
const { isAscii } = require('node:buffer');
const { readFileSync, writeSync } = require('node:fs');
const { join } = require('node:path');

const versionFlags = new Set(['--version', '-V']);

/** The text that just these words ask for; undefined where none is ready. */
function readyText(words) {
  if (words.length === 1 && versionFlags.has(words[0])) {
    return `${require('../package.json').version}\n`;
  }
  const commands = words.slice(0, -1);
  if (versionFlags.has(words.at(-1)) || !commands.every((word) => /^[a-z-]+$/.test(word))) {
    return undefined;
  }
  try {
    return readFileSync(
      join(__dirname, '../dist/help', `${['natter', ...commands].join('.')}.txt`),
    );
  } catch {
    // A prompt, or a command that there is not: natter knows what to say.
    return undefined;
  }
}

/** How long to wait for the reader of a pipe that takes no more and does not block. */
const waitMilliseconds = 10;

const wait = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, waitMilliseconds);

/**
 * Prints the text that the command line asks for, the last word of it `--version`, `--help` or their short forms.
 * False where there is none, or where it cannot be written: natter itself tells why. `write` is `fs.writeSync`.
 */
function printReadyText(words, write = writeSync, platform = process.platform) {
  const text = readyText(words);
  if (text === undefined) return false;
  const bytes = Buffer.from(text);
  // A console of Windows takes bytes in a code page of its own; Node's streams know how to write there.
  if (platform === 'win32' && !isAscii(bytes)) return false;
  let written = 0;
  while (written < bytes.length) {
    try {
      written += write(1, bytes, written);
    } catch (error) {
      // Nobody reads on, as in `natter --help | head -1`.
      if (error.code === 'EPIPE') return true;
      if (error.code !== 'EAGAIN') return false;
      wait();
    }
  }
  return true;
}

module.exports = { printReadyText };
