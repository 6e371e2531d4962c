import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folders = [];

process.once('exit', () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

/** Creates a temporary folder, which is removed when the script ends. */
export function temporaryFolder(name) {
  const folder = mkdtempSync(join(tmpdir(), `natter-${name}-`));
  folders.push(folder);
  return folder;
}
