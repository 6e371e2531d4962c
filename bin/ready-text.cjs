// Prints constant texts: the version, and help from the file that the build wrote. Neither natter
// nor Node's streams are loaded, so this takes hardly longer than starting Node.
const { isAscii } = require('node:buffer');
const { fstatSync, readFileSync, writeSync } = require('node:fs');
const { join } = require('node:path');

const versionFlags = new Set(['--version', '-V']);
const helpFlags = new Set(['--help', '-h']);

/** The texts that the build wrote, each after a line with its names between form feeds; empty without the file. */
function helpTexts() {
  try {
    return readFileSync(join(__dirname, '../dist/help.txt'));
  } catch {
    // The full program prints help, or reports that natter is not built.
    return Buffer.alloc(0);
  }
}

/** The text with this name; undefined for a prompt or an unknown command, which the full program handles. */
function helpText(name, texts = helpTexts()) {
  const names = texts.indexOf(`\f${name}\f`);
  if (names === -1) return undefined;
  const start = texts.indexOf('\n', names) + 1;
  const end = texts.indexOf('\f', start);
  return texts.toString('utf8', start, end === -1 ? texts.length : end);
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
  const texts = helpTexts();
  return helpText(`topic.${commands.join('.')}`, texts) ?? helpText(whole, texts);
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
