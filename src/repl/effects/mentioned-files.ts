import type { AttachedFile } from '../../conversation/compose-prompt.ts';
import type { PromptToSend } from '../state/effect.ts';
import type { FilesPort } from '../session/ports.ts';

type NewPrompt = PromptToSend & { readonly type: 'new' };

/** Punctuation of the sentence after a mention. */
const punctuation = /[.,;:!?)\]}]+$/;

/** A slash, a space or a file extension. */
const pathLike = /[/\\~\s]|\w\.[a-z0-9]{1,8}$/i;

/** The mentioned path without trailing punctuation, unless a file has exactly that name. */
function pathOf(files: FilesPort, mention: string): string {
  return files.kindOf(mention) === 'file' ? mention : mention.replace(punctuation, '');
}

/** Mentioned paths that are not attached yet. */
function pathsOf(files: FilesPort, { mentions, files: attached }: NewPrompt): readonly string[] {
  const names = new Set(attached.map(({ name }) => name));
  const paths = new Set(mentions.map((mention) => pathOf(files, mention)));
  return [...paths].filter((path) => !names.has(path));
}

/** Why a prompt needs confirmation: a mention looks like a path but is not a file. */
export function mentionProblem(files: FilesPort, prompt: PromptToSend): string | undefined {
  if (prompt.type !== 'new' || prompt.isConfirmed) return undefined;
  const problems = pathsOf(files, prompt)
    .filter((path) => pathLike.test(path) && files.kindOf(path) !== 'file')
    .map((path) =>
      files.kindOf(path) === 'folder' ? `@${path} is a folder` : `@${path} is not a file`,
    );
  return problems.length === 0 ? undefined : problems.join('; ');
}

/** @throws Failure if a mentioned file cannot be read */
export async function readMentioned(
  files: FilesPort,
  prompt: NewPrompt,
  signal: AbortSignal,
): Promise<readonly AttachedFile[]> {
  const found: AttachedFile[] = [];
  for (const path of pathsOf(files, prompt)) {
    if (files.kindOf(path) === 'file') found.push(await files.attach(path, signal));
  }
  return found;
}
