import { Failure } from '../../failure.ts';
import type { CompletionRequest } from '../editing/completion.ts';
import type { TextBuffer } from '../editing/text-buffer.ts';
import { findFiles } from '../picker/pick-files.ts';
import type { FilesPort } from '../session/ports.ts';
import { offerChoices, type LineCompletion } from './line-completion.ts';

/** Completes a mention with the files that the menu of the composer would show. */
export async function completeMention(
  files: FilesPort,
  buffer: TextBuffer,
  request: CompletionRequest,
): Promise<LineCompletion> {
  try {
    const found = await findFiles(files, request.typed);
    return offerChoices(buffer, request, found?.candidates ?? []);
  } catch (error) {
    if (error instanceof Failure) return { buffer, words: error.message };
    throw error;
  }
}
