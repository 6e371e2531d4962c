// Runs programs for Windows under Wine.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Wine shows the file system of the host as drive Z. */
export const windowsPath = (path) => `Z:${path.replaceAll('/', '\\')}`;

const quoted = (word) => (/[\s&|<>^]/.test(word) ? `"${word}"` : word);

/** Starts a Wine. @param folder an existing folder, for its own files @returns undefined where Wine is missing */
export function openWine(folder) {
  const { status, stdout: version } = spawnSync('wine', ['--version'], { encoding: 'utf8' });
  if (status !== 0) return undefined;
  const prefix = join(folder, 'prefix');
  mkdirSync(prefix);
  const environment = {
    ...process.env,
    WINEPREFIX: prefix,
    WINEDEBUG: '-all',
    // Neither .NET nor a browser is needed; Wine would offer to download them.
    WINEDLLOVERRIDES: 'mscoree,mshtml=',
    DISPLAY: '',
    // Node refuses the version of Windows that Wine reports.
    NODE_SKIP_PLATFORM_CHECK: '1',
  };
  /** Ends all programs of this Wine. */
  const stop = () => spawnSync('wineserver', ['--kill'], { env: environment, stdio: 'ignore' });
  const start = (words, { env = {}, cwd, timeout }) => {
    const result = spawnSync('wine', words, {
      env: { ...environment, ...env },
      cwd,
      timeout,
      killSignal: 'SIGKILL',
      stdio: 'ignore',
    });
    if (result.error?.code === 'ETIMEDOUT') stop();
    return result.status;
  };
  if (start(['winecfg', '-v', 'win10'], { timeout: 180_000 }) !== 0) {
    throw new Error('Wine cannot create its folder of drives and settings');
  }
  return {
    version: version.trim(),
    environment,
    stop,
    /**
     * Runs a program. Its standard streams are files that cmd.exe opens: Node cannot use those that Wine makes from the
     * pipes and files of the host. `code` is null after `timeout` milliseconds.
     */
    run(words, options) {
      const file = (name) => join(folder, name);
      const [script, output, errors] = ['run.bat', 'output', 'errors'].map(file);
      const line = words.map(quoted).join(' ');
      const streams = `<NUL >${windowsPath(output)} 2>${windowsPath(errors)}`;
      for (const name of [output, errors]) writeFileSync(name, '');
      writeFileSync(script, `@echo off\r\n${line} ${streams}\r\nexit /b %ERRORLEVEL%\r\n`);
      const code = start(['cmd', '/d', '/c', windowsPath(script)], options);
      const [stdout, stderr] = [output, errors].map((name) => readFileSync(name, 'utf8'));
      return { code, stdout, stderr };
    },
  };
}
