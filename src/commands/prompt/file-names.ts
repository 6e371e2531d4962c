import { stat } from 'node:fs/promises';
import { Failure } from '../../failure.ts';

/** Whether a name is that of a file, or a folder; false for what cannot be looked up. */
export async function isEntry(name: string, kind: 'isFile' | 'isDirectory'): Promise<boolean> {
  try {
    return (await stat(name))[kind]();
  } catch {
    // A word of a prompt is usually not a path.
    return false;
  }
}

/** For the name of a missing file that is a list of names. */
export async function hintForName(name: string): Promise<string | undefined> {
  const parts = name.split(',').map((part) => part.trim());
  if (parts.length < 2) return undefined;
  const found = await Promise.all(parts.map((part) => isEntry(part, 'isFile')));
  return found.every(Boolean) ? '-f takes one file; repeat it for each file' : undefined;
}

/**
 * Refuses a prompt word that names a file beside `--file`: the shell has expanded `-f *.md` into several words, of which
 * only the first is attached.
 * @throws Failure `usage`
 */
export async function refuseUnattached(words: readonly string[]): Promise<void> {
  for (const word of words) {
    if (!(await isEntry(word, 'isFile'))) continue;
    throw new Failure(
      'usage',
      `${word} is a file, but --file takes only one, so it is not attached`,
      {
        hint: 'repeat -f for each file, or quote the pattern; if the word belongs to the prompt, quote the whole prompt',
      },
    );
  }
}
