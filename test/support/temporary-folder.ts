import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Runs once before all tests (`globalSetup` of vitest). Their temporary folders are in one folder, which is removed after the last test. */
export function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'natter-'));
  for (const name of ['TMPDIR', 'TEMP', 'TMP']) process.env[name] = folder;
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}
