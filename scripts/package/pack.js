import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const windows = process.platform === 'win32';

/** Packs what is built, without building it; the path of the package. */
export function pack() {
  const folder = mkdtempSync(join(tmpdir(), 'natter-pack-'));
  const words = ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder];
  execFileSync('npm', words, { shell: windows, stdio: ['ignore', 'ignore', 'inherit'] });
  const [name] = readdirSync(folder);
  return join(folder, name);
}
