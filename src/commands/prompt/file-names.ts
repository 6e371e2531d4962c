import { stat } from 'node:fs/promises';
import { Failure } from '../../failure.ts';

export async function isFile(name: string): Promise<boolean> {
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
        hint: 'repeat -f for each file, or quote the pattern; if the word belongs to the prompt, quote the whole prompt',
      },
    );
  }
}
