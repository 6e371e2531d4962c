import fs from 'node:fs';
import path from 'node:path';
import { removeFile } from '../../storage/remove-file.ts';
import { openTemporaryFile, renameFile, synchronizeFolder } from '../../storage/replace-file.ts';
import { writeBlocks } from './write-results.ts';

/** Of a new file; the umask applies. */
const newFileMode = 0o666;
/** UTF-16 units that are written together. */
const blockUnits = 1 << 16;

/**
 * Writes texts into a file atomically: into a draft beside it, which replaces it at the end and gets its permissions.
 * @throws the system's error; errors of `texts`
 */
export async function replaceWithTexts(file: string, texts: AsyncIterable<string>): Promise<void> {
  const draft = `${file}.draft`;
  const mode = fs.statSync(file, { throwIfNoEntry: false })?.mode ?? newFileMode;
  const target = openTemporaryFile(draft, mode);
  try {
    try {
      let block = '';
      for await (const text of texts) {
        block += text;
        if (block.length < blockUnits) continue;
        writeBlocks(target, [Buffer.from(block)]);
        block = '';
      }
      writeBlocks(target, [Buffer.from(block)]);
      fs.fdatasyncSync(target);
    } finally {
      fs.closeSync(target);
    }
    renameFile(draft, file);
    synchronizeFolder(path.dirname(file));
  } catch (error) {
    removeFile(draft);
    throw error;
  }
}
