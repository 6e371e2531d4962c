import { execFile } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Installs the packed natter in an empty folder, as from the registry, and returns the folder. */
export async function installPacked(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'natter-installed-'));
  writeFileSync(join(folder, 'package.json'), '{"private":true}');
  const quiet = ['--ignore-scripts', '--silent'];
  const { stdout: packed } = await run(process.execPath, [
    'scripts/package/print-packed.js',
    mkdtempSync(join(tmpdir(), 'natter-pack-')),
  ]);
  const offline = ['--offline', '--no-audit', '--no-fund'];
  await run('npm', ['install', ...quiet, ...offline, packed.trim()], { cwd: folder });
  return folder;
}
