import { Failure } from '../../failure.ts';
import { findPrompt } from '../../prompt-files/library/find-prompt.ts';
import { editFile } from '../../repl/system/external-editor.ts';
import { present, type Context, type GlobalOptions } from '../../run.ts';
import { loadPromptFile } from '../prompt/load-prompt-file.ts';
import { promptPlaces } from '../prompt/prompt-places.ts';
import { checkNewName, createPromptFile, newPath } from './new-prompt.ts';

export interface EditOptions extends GlobalOptions {
  /** Creates a new prompt file in the project. */
  readonly project?: boolean;
}

const newPrompt = `---
description:
variables:
---

`;

/** The path of an existing prompt file; undefined if there is none. */
function existingPath(context: Context, name: string): string | undefined {
  try {
    return findPrompt(promptPlaces(context), name).file.path;
  } catch (error) {
    if (error instanceof Failure && error.kind === 'not_found') return undefined;
    throw error;
  }
}

/** Runs `natter prompts edit`. @throws Failure for an editor that fails, and what is wrong with the edited file */
export async function editPromptFile(
  context: Context,
  options: EditOptions,
  name: string,
): Promise<void> {
  const { notices } = await present(context, options);
  let file = existingPath(context, name);
  if (file === undefined) {
    checkNewName(context, name);
    file = newPath(context, name, options.project === true);
    createPromptFile(file, newPrompt, options.project === true);
    notices.notice(`created ${file}`);
  }
  await editFile(file, context);
  const found = findPrompt(promptPlaces(context), file);
  const prompt = await loadPromptFile({ context, notices, signal: context.signal }, found);
  for (const notice of prompt.notices) notices.notice(notice);
}
