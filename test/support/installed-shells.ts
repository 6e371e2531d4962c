import { spawnSync } from 'node:child_process';

/** Returns the shells that this machine has, and reports the others as not tested. */
export function installedShells<Name extends string>(names: readonly Name[]): readonly Name[] {
  const isInstalled = (name: Name) => spawnSync(name, ['-c', 'true']).status === 0;
  const installed = names.filter(isInstalled);
  const missing = names.filter((name) => !installed.includes(name));
  if (missing.length > 0) {
    process.stdout.write(`Not installed, and not tested: ${missing.join(', ')}.\n`);
  }
  return installed;
}
