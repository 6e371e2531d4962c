import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { folderOf } from './folder.ts';

const run = promisify(execFile);

/** Installs the packed natter in an empty folder, as from the registry, and returns the folder. */
export async function installPacked(): Promise<string> {
  const folder = folderOf({ 'package.json': '{"private":true}' });
  const quiet = ['--ignore-scripts', '--silent'];
  const { stdout: packed } = await run(process.execPath, [
    'scripts/package/print-packed.js',
    folderOf(),
  ]);
  const offline = ['--offline', '--no-audit', '--no-fund'];
  await run('npm', ['install', ...quiet, ...offline, packed.trim()], { cwd: folder });
  return folder;
}
