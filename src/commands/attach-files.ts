import { readFile, stat } from 'node:fs/promises';
import { largestPromptBytes } from '../conversation/context-fit.ts';
import type { AttachedFile } from '../conversation/compose-prompt.ts';
import { decodeText } from '../conversation/decode-text.ts';
import { Failure } from '../failure.ts';

export interface AttachOptions {
  readonly encoding?: string | undefined;
  readonly lossy?: boolean | undefined;
}

const problems: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'you may not read it',
  EISDIR: 'it is a folder',
};

function cannotAttach(name: string, reason: string, cause?: unknown): Failure {
  return new Failure('usage', `cannot attach ${name}: ${reason}`, { cause });
}

async function readBytes(name: string): Promise<Uint8Array> {
  try {
    const { size } = await stat(name);
    if (size > largestPromptBytes)
      throw cannotAttach(name, 'it is larger than any window can hold');
    return await readFile(name);
  } catch (error) {
    if (error instanceof Failure) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    throw cannotAttach(name, problems[code ?? ''] ?? message, error);
  }
}

/**
 * Reads the files of `--file`, in order.
 * @throws Failure of kind `usage` that names the file and what is wrong with it
 */
export async function attachFiles(
  names: readonly string[],
  options: AttachOptions,
): Promise<readonly AttachedFile[]> {
  return Promise.all(
    names.map(async (name) => ({
      name,
      content: decodeText(await readBytes(name), { ...options, source: name }),
    })),
  );
}
