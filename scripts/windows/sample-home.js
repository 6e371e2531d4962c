// A user's folders for the trials, and natter in them. Runs on Windows.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const program = resolve('bin/natter.cjs');
/** Milliseconds; Wine needs two seconds for a run, many times as many on a busy machine. */
const limit = 90_000;

/** Waits for a program and its output. */
function collect(child) {
  const chunks = { stdout: [], stderr: [] };
  for (const [name, pieces] of Object.entries(chunks)) {
    child[name].on('data', (piece) => pieces.push(piece));
  }
  return new Promise((settle, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      const [stdout, stderr] = Object.values(chunks).map((pieces) => `${Buffer.concat(pieces)}`);
      settle({ code, stdout, stderr });
    });
  });
}

export class SampleHome {
  /** With a space and a letter outside ASCII, as in the names of many users. */
  folder = mkdtempSync(join(tmpdir(), 'natter Zoë '));
  #env = {
    ...process.env,
    USERPROFILE: this.folder,
    APPDATA: join(this.folder, 'Roaming'),
    LOCALAPPDATA: join(this.folder, 'Local'),
  };

  path(...names) {
    return join(this.folder, ...names);
  }

  /** Writes a file in the folder. @returns its path */
  write(name, content) {
    const path = this.path(name);
    writeFileSync(path, content);
    return path;
  }

  read(name) {
    return readFileSync(this.path(name), 'utf8');
  }

  names(...folders) {
    return readdirSync(this.path(...folders));
  }

  start(words, options = {}) {
    return spawn(process.execPath, [program, ...words], {
      cwd: this.folder,
      env: { ...this.#env, ...options.env },
      stdio: [options.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
      timeout: limit,
    });
  }

  /** Runs natter; fails unless it exits with `options.code`, default 0. */
  async natter(words, options = {}) {
    const child = this.start(words, options);
    const result = collect(child);
    child.stdin?.end(options.input);
    const { code, stdout, stderr } = await result;
    assert.equal(code, options.code ?? 0, `exit code of natter ${words.join(' ')}\n${stderr}`);
    return { stdout, stderr };
  }

  /** Runs a line of cmd.exe, in which NATTER is the start of a command line. */
  async shell(line) {
    const natter = `"${process.execPath}" "${program}"`;
    const command = `"${line.replaceAll('NATTER', natter)}"`;
    const child = spawn('cmd.exe', ['/d', '/s', '/c', command], {
      cwd: this.folder,
      env: this.#env,
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: limit,
      windowsVerbatimArguments: true,
    });
    const { code, stdout, stderr } = await collect(child);
    assert.equal(code, 0, `exit code of ${line}\n${stderr}`);
    return stdout;
  }
}
