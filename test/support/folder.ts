import { mkdirSync, mkdtempSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** Contents by name, which may have folders in it. */
export type Files = Readonly<Record<string, string | Uint8Array>>;

/** Creates a folder with these files. */
export function folderOf(files: Files = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'natter-test-'));
  writeFiles(folder, files);
  return folder;
}

/** The paths of all files in a folder and its folders. */
export const filesBelow = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile());

/** Writes these files into a folder. */
export function writeFiles(folder: string, files: Files): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(join(folder, dirname(name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
}
