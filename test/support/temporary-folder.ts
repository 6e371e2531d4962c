import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

/** Short, because the path of a socket below it may have only about 100 bytes. */
const prefix = 'tests-';

/**
 * Runs once before all tests of each project (`globalSetup` of vitest). The temporary folders of all tests are in one
 * folder, which is removed after the last test.
 */
export function setup(): (() => void) | undefined {
  if (basename(tmpdir()).startsWith(prefix)) return undefined;
  const folder = mkdtempSync(join(tmpdir(), prefix));
  for (const name of ['TMPDIR', 'TEMP', 'TMP']) process.env[name] = folder;
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}
