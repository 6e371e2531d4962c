import { execFile } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** An empty folder in which the packed natter is installed, as it comes from the registry. */
export async function installPacked(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'natter-installed-'));
  writeFileSync(join(folder, 'package.json'), '{"private":true}');
  const quiet = ['--ignore-scripts', '--silent'];
  const { stdout: packed } = await run(process.execPath, ['scripts/package/print-packed.js']);
  const offline = ['--offline', '--no-audit', '--no-fund'];
  await run('npm', ['install', ...quiet, ...offline, packed.trim()], { cwd: folder });
  return folder;
}
