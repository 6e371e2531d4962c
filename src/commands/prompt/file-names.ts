import { stat } from 'node:fs/promises';
import { Failure } from '../../failure.ts';

async function isFile(name: string): Promise<boolean> {
  try {
    return (await stat(name)).isFile();
  } catch {
    // A word of a prompt is usually not a path.
    return false;
  }
}

/**
 * Refuses a prompt word that names a file beside `--file`: the shell has expanded `-f *.md` into several words, of which
 * only the first is attached.
 * @throws Failure `usage`
 */
export async function refuseUnattached(words: readonly string[]): Promise<void> {
  for (const word of words) {
    if (!(await isFile(word))) continue;
    throw new Failure(
      'usage',
      `${word} is a file, but --file takes only one, so it is not attached`,
      {
        hint: 'repeat -f for each file; if the word belongs to the prompt, quote the whole prompt',
      },
    );
  }
}

/** For the name of a missing file: a list of names, or a pattern. Undefined for any other name. */
export async function hintForName(name: string): Promise<string | undefined> {
  if (await isFile(name)) return undefined;
  if (/[*?]/.test(name)) return '-f takes one file, not a pattern; repeat it for each file';
  const parts = name.split(',').map((part) => part.trim());
  if (parts.length < 2) return undefined;
  const found = await Promise.all(parts.map(isFile));
  return found.every(Boolean) ? '-f takes one file; repeat it for each file' : undefined;
}
