// Runs programs for Windows under Wine.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Wine shows the file system of the host as drive Z. */
export const windowsPath = (path) => `Z:${path.replaceAll('/', '\\')}`;

/** The version, or undefined where Wine is missing. */
export function findWine() {
  const { status, stdout } = spawnSync('wine', ['--version'], { encoding: 'utf8' });
  return status === 0 ? stdout.trim() : undefined;
}

const quoted = (word) => (/[\s&|<>^]/.test(word) ? `"${word}"` : word);

export class Wine {
  #folder;
  /** For programs that are started without this class. */
  environment;

  /** @param folder an existing folder, for Wine's own files */
  constructor(folder) {
    this.#folder = folder;
    const prefix = join(folder, 'prefix');
    mkdirSync(prefix);
    this.environment = {
      ...process.env,
      WINEPREFIX: prefix,
      WINEDEBUG: '-all',
      // Neither .NET nor a browser is needed; Wine would offer to download them.
      WINEDLLOVERRIDES: 'mscoree,mshtml=',
      DISPLAY: '',
      // Node refuses the version of Windows that Wine reports.
      NODE_SKIP_PLATFORM_CHECK: '1',
    };
  }

  #spawn(words, { env = {}, cwd, timeout }) {
    const result = spawnSync('wine', words, {
      env: { ...this.environment, ...env },
      cwd,
      timeout,
      killSignal: 'SIGKILL',
      stdio: 'ignore',
    });
    if (result.error?.code === 'ETIMEDOUT') this.stop();
    return result.status;
  }

  start() {
    if (this.#spawn(['winecfg', '-v', 'win10'], { timeout: 180_000 }) !== 0) {
      throw new Error('Wine cannot create its folder of drives and settings');
    }
  }

  /** Ends all programs of this Wine. */
  stop() {
    spawnSync('wineserver', ['--kill'], { env: this.environment, stdio: 'ignore' });
  }

  /**
   * Runs a program. Its standard streams are files that cmd.exe opens: Node cannot use those that Wine makes from the
   * pipes and files of the host. `code` is null after `timeout` milliseconds.
   */
  run(words, options = {}) {
    const file = (name) => join(this.#folder, name);
    const [script, output, errors] = ['run.bat', 'output', 'errors'].map(file);
    const line = words.map(quoted).join(' ');
    const streams = `<NUL >${windowsPath(output)} 2>${windowsPath(errors)}`;
    for (const name of [output, errors]) writeFileSync(name, '');
    writeFileSync(script, `@echo off\r\n${line} ${streams}\r\nexit /b %ERRORLEVEL%\r\n`);
    const code = this.#spawn(['cmd', '/d', '/c', windowsPath(script)], options);
    const [stdout, stderr] = [output, errors].map((name) => readFileSync(name, 'utf8'));
    return { code, stdout, stderr };
  }
}
