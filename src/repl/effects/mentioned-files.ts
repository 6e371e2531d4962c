import type { AttachedFile } from '../../conversation/compose-prompt.ts';
import type { Question } from '../state/effect.ts';
import type { FilesPort } from '../session/ports.ts';

type Prompt = Question & { readonly type: 'prompt' };

/** Punctuation of the sentence after a mention. */
const punctuation = /[.,;:!?)\]}]+$/;

/** Looks like a path: has a slash, a space or a file extension. */
const pathLike = /[/\\~\s]|\w\.[a-z0-9]{1,8}$/i;

/** The mentioned path without trailing punctuation, unless a file has exactly that name. */
function pathOf(files: FilesPort, mention: string): string {
  return files.kindOf(mention) === 'file' ? mention : mention.replace(punctuation, '');
}

/** Mentioned paths that are not attached yet. */
function pathsOf(files: FilesPort, { mentions, files: attached }: Prompt): readonly string[] {
  const names = new Set(attached.map(({ name }) => name));
  const paths = new Set(mentions.map((mention) => pathOf(files, mention)));
  return [...paths].filter((path) => !names.has(path));
}

/** Why a prompt needs confirmation: a mention looks like a path but is not a file. */
export function mentionProblem(files: FilesPort, question: Question): string | undefined {
  if (question.type !== 'prompt' || question.isConfirmed) return undefined;
  const doubts = pathsOf(files, question)
    .filter((path) => pathLike.test(path) && files.kindOf(path) !== 'file')
    .map((path) =>
      files.kindOf(path) === 'folder' ? `@${path} is a folder` : `@${path} is not a file`,
    );
  return doubts.length === 0 ? undefined : doubts.join('; ');
}

/** @throws Failure if a mentioned file cannot be read */
export async function readMentioned(
  files: FilesPort,
  question: Prompt,
  signal: AbortSignal,
): Promise<readonly AttachedFile[]> {
  const found: AttachedFile[] = [];
  for (const path of pathsOf(files, question)) {
    if (files.kindOf(path) === 'file') found.push(await files.attach(path, signal));
  }
  return found;
}
