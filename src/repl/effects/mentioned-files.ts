import type { AttachedFile } from '../../conversation/compose-prompt.ts';
import type { Question } from '../state/effect.ts';
import type { FilesPort } from '../session/ports.ts';

type Prompt = Question & { readonly type: 'prompt' };

/** A sentence goes on, or ends, after a mention. */
const punctuation = /[.,;:!?)\]}]+$/;

/** As nobody writes a name or a word: with a slash, a blank, or the ending of a file. */
const pathLike = /[/\\~\s]|\w\.[a-z0-9]{1,8}$/i;

/** The path a mention means: what ends its sentence is no part of it, unless a file is called so. */
function pathOf(files: FilesPort, mention: string): string {
  return files.kindOf(mention) === 'file' ? mention : mention.replace(punctuation, '');
}

/** Paths that are mentioned and not attached yet. */
function pathsOf(files: FilesPort, { mentions, files: attached }: Prompt): readonly string[] {
  const names = new Set(attached.map(({ name }) => name));
  const paths = new Set(mentions.map((mention) => pathOf(files, mention)));
  return [...paths].filter((path) => !names.has(path));
}

/** What is doubtful about the mentions of a prompt: one names no file, and looks as if it should. */
export function doubtAbout(files: FilesPort, question: Question): string | undefined {
  if (question.type !== 'prompt' || question.isSure) return undefined;
  const doubts = pathsOf(files, question)
    .filter((path) => pathLike.test(path) && files.kindOf(path) !== 'file')
    .map((path) =>
      files.kindOf(path) === 'folder' ? `@${path} is a folder` : `@${path} is not a file`,
    );
  return doubts.length === 0 ? undefined : doubts.join('; ');
}

/** Reads the files that a prompt mentions. @throws Failure */
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
