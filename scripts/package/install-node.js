import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, sep } from 'node:path';

const windows = process.platform === 'win32';
const system = { win32: 'win' }[process.platform] ?? process.platform;

/** The package of the npm registry with Node for this machine. */
export const nodePackage = `node-${system}-${process.arch}`;

/** A new temporary folder in which npm installs packages. */
export function emptyFolder(name) {
  const folder = mkdtempSync(join(tmpdir(), `natter-${name}-`));
  writeFileSync(join(folder, 'package.json'), '{"private":true}');
  return folder;
}

/** The path of this Node; undefined if the registry has none for this machine, or is unreachable. */
export function installNode(version) {
  const folder = emptyFolder(`node-${version}`);
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

/** Removes the folder of `installNode`: a Node takes 150 MB. */
export function removeNode(path) {
  const [folder] = path.split(`${sep}node_modules${sep}`);
  rmSync(folder, { recursive: true, maxRetries: 3 });
}
