// Prints constant texts: the version, and help from the files that the build wrote. Neither natter
// nor Node's streams are loaded, so this takes hardly longer than starting Node.
const { isAscii } = require('node:buffer');
const { fstatSync, readFileSync, writeSync } = require('node:fs');
const { join } = require('node:path');

const versionFlags = new Set(['--version', '-V']);
const helpFlags = new Set(['--help', '-h']);

/** The text that the build wrote to dist/help; undefined if there is none. Read as UTF-8, which Node does fastest. */
function helpText(name) {
  try {
    return readFileSync(join(__dirname, '../dist/help', `${name}.txt`), 'utf8');
  } catch {
    // A prompt or an unknown command, which the full program handles.
    return undefined;
  }
}

/** The text for exactly these words; undefined if there is none. */
function readyText(words) {
  if (words.length === 1 && versionFlags.has(words[0])) {
    return helpText('natter.--version');
  }
  const last = words.at(-1);
  const isFlagged = helpFlags.has(last);
  const commands = isFlagged ? words.slice(0, -1) : words.slice(1);
  if (!commands.every((word) => /^[a-z][a-z-]*$/.test(word))) return undefined;
  const whole = ['natter', ...commands].join('.');
  if (isFlagged) return helpText(last === '-h' ? `${whole}.-h` : whole);
  if (words[0] !== 'help') return undefined;
  return helpText(`topic.${commands.join('.')}`) ?? helpText(whole);
}

/** Only on a terminal: asking whether a pipe is one would load Node's streams. */
function showInPager(text) {
  const mayBeTerminal = process.platform === 'win32' || fstatSync(1).isCharacterDevice();
  if (!mayBeTerminal || !require('node:tty').isatty(1)) return false;
  const { env: environment, platform, stdout } = process;
  const size = { columns: stdout.columns || 80, rows: stdout.rows || 24 };
  const host = { ...size, environment, platform, signals: process };
  return require('../dist/pager.cjs').showInPager(text, host);
}

/** Pause between two attempts to write into a full non-blocking pipe. */
const waitMilliseconds = 10;

const wait = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, waitMilliseconds);

/**
 * Prints the text for a command line that ends with `--version`, `--help` or their short forms, or that begins with
 * `help`. False if there is none or it cannot be written: the full program then reports the error. `write` is
 * `fs.writeSync`; `show` returns whether a pager has shown the text.
 */
function printReadyText(words, options = {}) {
  const { write = writeSync, platform = process.platform, show = showInPager } = options;
  const text = readyText(words);
  if (text === undefined) return false;
  const bytes = Buffer.from(text);
  // A Windows console expects bytes in its own code page; Node's streams can write there.
  if (platform === 'win32' && !isAscii(bytes)) return false;
  if (show(text)) return true;
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
