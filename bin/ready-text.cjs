// Prints constant texts: the version, and the help of each command from the file that the build wrote. Neither natter
// nor Node's streams are loaded, so this takes hardly longer than starting Node.
const { isAscii } = require('node:buffer');
const { readFileSync, writeSync } = require('node:fs');
const { join } = require('node:path');

const versionFlags = new Set(['--version', '-V']);

/** The text for exactly these words; undefined if there is none. */
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
    // A prompt or an unknown command, which the full program handles.
    return undefined;
  }
}

/** Pause between two attempts to write into a full non-blocking pipe. */
const waitMilliseconds = 10;

const wait = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, waitMilliseconds);

/**
 * Prints the text for a command line that ends with `--version`, `--help` or their short forms. False if there is none
 * or it cannot be written: the full program then reports the error. `write` is `fs.writeSync`.
 */
function printReadyText(words, write = writeSync, platform = process.platform) {
  const text = readyText(words);
  if (text === undefined) return false;
  const bytes = Buffer.from(text);
  // A Windows console expects bytes in its own code page; Node's streams can write there.
  if (platform === 'win32' && !isAscii(bytes)) return false;
  let written = 0;
  while (written < bytes.length) {
    try {
      written += write(1, bytes, written);
    } catch (error) {
      // The reader has closed the pipe, as in `natter --help | head -1`.
      if (error.code === 'EPIPE') return true;
      if (error.code !== 'EAGAIN') return false;
      wait();
    }
  }
  return true;
}

module.exports = { printReadyText };
