import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

/** Short, because the path of a socket below it may have only about 100 bytes. */
const prefix = 'tests-';

/**
 * Runs once before all tests of each project (`globalSetup` of vitest). The temporary folders of all tests are in one
 * folder, which is removed after the last test. Removing thousands of files takes seconds, in which vitest must be able to
 * see its workers end.
 */
export function setup(): (() => Promise<void>) | undefined {
  if (basename(tmpdir()).startsWith(prefix)) return undefined;
  const folder = mkdtempSync(join(tmpdir(), prefix));
  for (const name of ['TMPDIR', 'TEMP', 'TMP']) process.env[name] = folder;
  return () => rm(folder, { recursive: true, force: true, maxRetries: 3 });
}
