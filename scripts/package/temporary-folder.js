import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Creates a temporary folder, which is removed when the script ends. */
export function temporaryFolder(name) {
  const folder = mkdtempSync(join(tmpdir(), `natter-${name}-`));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}
