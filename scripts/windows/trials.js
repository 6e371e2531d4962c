// What is tried on Windows in addition to the suite: names of files, encodings, standard streams, files that are open
// elsewhere. Each trial has a home with empty folders. On Windows: `node scripts/windows/trials.js [words of its name]`.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const program = resolve('bin/natter.cjs');
/** Milliseconds; Wine needs two seconds for a run, many times as many on a busy machine. */
const limit = 90_000;

/** Waits for a program and its output. */
function collect(child) {
  const result = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr']) {
    child[name].setEncoding('utf8').on('data', (part) => (result[name] += part));
  }
  return new Promise((settle, reject) => {
    child.on('error', reject);
    child.on('close', (code) => settle({ ...result, code }));
  });
}

class SampleHome {
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

const echo = '[sandbox echo]';
const text = 'naïve 漢字 🙂';
const utf16 = (content) => Buffer.from(`\uFEFF${content}`, 'utf16le');
const config = ['Roaming', 'natter'];

/** Saves a setting and opens its file, which then cannot be replaced. @returns the descriptor */
async function openSettings(home) {
  await home.natter(['config', 'set', 'model', 'nextgen']);
  return openSync(home.path(...config, 'config.json'), 'r');
}

const streams = {
  async 'answers a prompt from arguments with any characters'(home) {
    const words = ['--sandbox', `${echo} ${text} "quoted" %PATH% a\\b\\`];
    assert.equal((await home.natter(words)).stdout, `${text} "quoted" %PATH% a\\b\\\n`);
  },
  async 'keeps the line ends of a pipe'(home) {
    const { stdout } = await home.natter(['--sandbox', echo], { input: 'one\r\ntwo\r\n' });
    assert.equal(stdout, '\none\r\ntwo\r\n');
  },
  async 'reads UTF-16 with a mark from a pipe and from a file'(home) {
    const piped = await home.natter(['--sandbox', echo], { input: utf16(text) });
    assert.equal(piped.stdout.trim(), text);
    const file = home.write('from PowerShell.txt', utf16(text));
    const attached = await home.natter(['--sandbox', '-f', file, `${echo} see`]);
    assert.ok(attached.stdout.includes(`\n${text}\n</file>`), attached.stdout);
  },
  async 'reads and writes files that cmd.exe opens'(home) {
    home.write('in.txt', text);
    await home.shell(`NATTER --sandbox "${echo}" <in.txt >out.txt`);
    assert.equal(home.read('out.txt').trim(), text);
  },
  async 'is a part of a pipe of cmd.exe'(home) {
    home.write('in.txt', `one\r\n${text}\r\n`);
    const copy = `NATTER --sandbox "${echo}"`;
    assert.equal((await home.shell(`type in.txt | ${copy} | ${copy}`)).trim(), `one\r\n${text}`);
  },
  async 'writes UTF-8 whatever the code page is'(home) {
    await home.shell(`chcp 1252 >NUL & NATTER --sandbox "${echo} ${text}" >out.txt`);
    assert.equal(home.read('out.txt'), `${text}\n`);
  },
};

const files = {
  async 'accepts paths with drives, spaces and both slashes'(home) {
    const file = home.write('my notes.txt', text);
    mkdirSync(home.path('sub folder'));
    home.write('sub folder\\deep.txt', 'deep');
    const names = [file, file.replaceAll('\\', '/'), `\\\\?\\${file}`, 'my notes.txt'];
    for (const name of [...names, '.\\sub folder\\..\\my notes.txt']) {
      const { stdout } = await home.natter(['--sandbox', '-f', name, `${echo} see`]);
      assert.ok(stdout.includes(text), name);
    }
    const { stdout } = await home.natter(['--sandbox', '-f', 'sub folder/deep.txt', `${echo} see`]);
    assert.match(stdout, /deep/);
  },
  async 'keeps its files in the folders of Windows'(home) {
    await home.natter(['config', 'set', 'model', 'nextgen']);
    await home.natter(['--sandbox', 'hi']);
    assert.deepEqual(home.names(...config), ['config.json']);
    assert.ok(existsSync(home.path('Local', 'natter', 'data')));
  },
  async 'keeps them in a folder with a long path'(home) {
    const long = home.path(...Array.from({ length: 12 }, () => 'a folder with a long name'));
    assert.ok(long.length > 260);
    const env = { NATTER_DATA_DIR: long };
    await home.natter(['--sandbox', `${echo} ${text}`], { env });
    assert.equal((await home.natter(['last'], { env })).stdout.trim(), text);
  },
  async 'refuses a folder without a drive'(home) {
    const env = { NATTER_CONFIG_DIR: '\\no\\drive' };
    const { stderr } = await home.natter(['config', 'list'], { env, code: 3 });
    assert.match(stderr, /NATTER_CONFIG_DIR must be an absolute path\n.*starts at a drive/);
  },
  async 'refuses the names of devices'(home) {
    home.write('in.txt', 'one\n');
    for (const name of ['con.jsonl', 'AUX', 'lpt1.txt', home.path('com1.jsonl')]) {
      const words = ['batch', 'in.txt', '--sandbox', '-o', name];
      const { stderr } = await home.natter(words, { code: 2 });
      assert.match(stderr, /is a device name on Windows\n.*choose another name/);
    }
  },
  async 'merges the results that a pattern matches'(home) {
    home.write('in.txt', 'one\r\ntwo\r\nthree\r\n');
    for (const shard of ['1', '2']) {
      const output = `piece-${shard}.jsonl`;
      await home.natter(['batch', 'in.txt', '--sandbox', '--shard', `${shard}/2`, '-o', output]);
    }
    await home.natter(['batch', 'merge', '.\\piece-*.jsonl', '-o', 'all.jsonl']);
    await home.natter(['batch', 'merge', 'all.jsonl', '-o', 'all.jsonl', '--force']);
    assert.equal(home.read('all.jsonl').trimEnd().split('\n').length, 3);
  },
};

const commands = {
  async 'lists, shows and continues conversations'(home) {
    await home.natter(['--sandbox', `${echo} first`]);
    await home.natter(['--sandbox', '-c', `${echo} second`]);
    const { stdout } = await home.natter(['conversations', 'show', 'latest']);
    assert.match(stdout, /first.*second/s);
    const list = await home.natter(['conversations', 'list', '--json']);
    assert.equal(JSON.parse(list.stdout).length, 1);
  },
  async 'resumes a batch with CRLF line ends'(home) {
    home.write('in.txt', `${echo} one\r\n${echo} two\r\n`);
    const words = ['batch', 'in.txt', '--sandbox', '-o', 'out.jsonl'];
    await home.natter(words);
    const first = home.read('out.jsonl');
    assert.match(first, /"content":"one".*\n.*"content":"two"/);
    assert.match((await home.natter(words)).stderr, /2 before/);
    assert.equal(home.read('out.jsonl'), first);
  },
  async 'records and replays'(home) {
    const prompt = `${echo} ${text}`;
    await home.natter(['--sandbox', '--record', 'a recording.jsonl', prompt]);
    const { stdout } = await home.natter(['--replay', 'a recording.jsonl', prompt]);
    assert.equal(stdout, `${text}\n`);
  },
  async 'has the same exit codes as elsewhere'(home) {
    const codes = { 401: 4, 404: 6, 429: 8, 500: 9, 'fin cut-after=2': 11 };
    for (const [fault, code] of Object.entries(codes)) {
      await home.natter(['--sandbox', '--retries', '0', `[sandbox ${fault}] hi`], { code });
    }
    await home.natter(['--bogus'], { code: 2 });
    await home.natter(['hi'], { code: 3 });
    await home.natter(['--base-url', 'http://127.0.0.1:1', '--retries', '0', 'hi'], { code: 10 });
  },
};

const processes = {
  async 'saves settings once another program has closed the file'(home) {
    const descriptor = await openSettings(home);
    let isSaved = false;
    const saving = home.natter(['config', 'set', 'model', 'origin']).then(() => (isSaved = true));
    // natter writes a temporary file, which then replaces the open one.
    while (!home.names(...config).some((name) => name.includes('.tmp-'))) await sleep(5);
    await sleep(100);
    assert.equal(isSaved, false);
    closeSync(descriptor);
    await saving;
    assert.equal((await home.natter(['config', 'get', 'model'])).stdout, 'origin\n');
  },
  async 'reports a file that stays open elsewhere, and keeps it'(home) {
    const descriptor = await openSettings(home);
    const { stderr } = await home.natter(['config', 'set', 'model', 'origin'], { code: 12 });
    closeSync(descriptor);
    assert.match(stderr, /cannot write .*config\.json: .*another program has it open\n.*close/);
    assert.equal((await home.natter(['config', 'get', 'model'])).stdout, 'nextgen\n');
    assert.deepEqual(home.names(...config), ['config.json']);
  },
  async 'loses no setting when two processes save at once'(home) {
    const values = { model: 'nextgen', retries: '7', system: 'Be brief.' };
    await Promise.all(
      Object.entries(values).map((pair) => home.natter(['config', 'set', ...pair])),
    );
    for (const [name, value] of Object.entries(values)) {
      assert.equal((await home.natter(['config', 'get', name])).stdout, `${value}\n`);
    }
  },
  async 'continues a conversation whose process was terminated'(home) {
    const child = home.start(['--sandbox', '[sandbox tokens=500 rate=20] long']);
    await new Promise((settle) => child.stdout.once('data', settle));
    const ended = new Promise((settle) => child.on('close', settle));
    child.kill();
    await ended;
    await home.natter(['--sandbox', '-c', `${echo} after`]);
    const { stdout } = await home.natter(['conversations', 'show', 'latest']);
    assert.match(stdout, /long.*after/s);
  },
};

const trials = { ...streams, ...files, ...commands, ...processes };
const wanted = process.argv.slice(2).join(' ');
const chosen = Object.entries(trials).filter(([name]) => name.includes(wanted));
const failures = [];
const waiting = chosen.values();

async function work() {
  for (const [name, trial] of waiting) {
    const home = new SampleHome();
    try {
      await trial(home);
    } catch (error) {
      failures.push(`${name}: ${error.stack}`);
    } finally {
      rmSync(home.folder, { recursive: true, force: true, maxRetries: 5 });
    }
  }
}

await Promise.all([work(), work()]);
const report = `Node ${process.version}: ${chosen.length - failures.length} of ${chosen.length} trials passed`;
process.stdout.write([...failures, report, ''].join('\n'));
process.exitCode = failures.length === 0 && chosen.length > 0 ? 0 : 1;
