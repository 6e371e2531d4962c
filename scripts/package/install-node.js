import { spawnSync } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { temporaryFolder } from './temporary-folder.js';

const windows = process.platform === 'win32';
const system = { win32: 'win' }[process.platform] ?? process.platform;

/** The package of the npm registry with Node for this machine. */
export const nodePackage = `node-${system}-${process.arch}`;

/** Creates a temporary folder in which npm installs packages. */
export function packageFolder(name) {
  const folder = temporaryFolder(name);
  writeFileSync(join(folder, 'package.json'), '{"private":true}');
  return folder;
}

/** The path of this Node; undefined if the registry has none for this machine, or is unreachable. */
export function installNode(version) {
  const folder = packageFolder(`node-${version}`);
  const { status } = spawnSync(
    'npm',
    [
      'install',
      `${nodePackage}@${version}`,
      '--ignore-scripts',
      '--silent',
      '--no-audit',
      '--fetch-retries=0',
    ],
    { cwd: folder, shell: windows },
  );
  const path = join(folder, 'node_modules', nodePackage, 'bin', windows ? 'node.exe' : 'node');
  return status === 0 && existsSync(path) ? path : undefined;
}

/** Removes the folder of `installNode` before the script ends: a Node takes 150 MB. */
export function removeNode(path) {
  const [folder] = path.split(`${sep}node_modules${sep}`);
  rmSync(folder, { recursive: true, maxRetries: 5 });
}
