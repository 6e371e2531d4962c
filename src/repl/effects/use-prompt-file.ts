import type { AttachedFile } from '../../conversation/compose-prompt.ts';
import type { Candidate } from '../composer/completion.ts';
import { recalledDraft } from '../composer/history.ts';
import { shownText } from '../composer/paste.ts';
import type { AnswerCheck } from '../../ask/check.ts';
import { runTask, type SessionCore } from '../session/session-core.ts';
import type { Effect, PromptToSend, SessionSettings } from '../state/effect.ts';
import { failureEntry, notice } from '../state/entry.ts';
import { readPromptArguments } from '../slash-commands/prompt-arguments.ts';
import type { PromptVariable } from '../state/prompt-command.ts';
import { cleanLine } from '../../secrets/secrets.ts';

export function runOpenPrompt(
  core: SessionCore,
  { name, argument }: Effect & { readonly type: 'open-prompt' },
): Promise<void> {
  return runTask(core, async (signal) => {
    const prompt = await core.prompts.open(name, signal);
    if (prompt === undefined) {
      core.dispatch({ type: 'prompt-missing', name });
      return [];
    }
    const typed = readPromptArguments(prompt, argument);
    if ('problem' in typed) return [failureEntry(typed.problem, typed.hint)];
    core.dispatch({ type: 'prompt-opened', prompt, typed });
    return [];
  });
}

/** Lists the prompt files again, as commands. */
export async function listPromptFiles(core: SessionCore): Promise<void> {
  core.dispatch({ type: 'prompts-listed', promptFiles: await core.prompts.list() });
}

const assignmentsOf = ({ name, choices, description }: PromptVariable): readonly Candidate[] =>
  choices === undefined
    ? [{ value: `${name}=`, ...(description !== undefined && { summary: description }) }]
    : choices.map((choice) => ({ value: `${name}=${choice}` }));

/** Completions for the values of a prompt file. */
export async function valueCandidates(
  core: SessionCore,
  name: string,
): Promise<readonly Candidate[]> {
  const prompt = await core.prompts.open(name, new AbortController().signal);
  return prompt?.variables.flatMap(assignmentsOf) ?? [];
}

/** Those of a prompt file win. */
function mergedParameters(
  before: SessionSettings['parameters'],
  own: SessionSettings['parameters'],
): SessionSettings['parameters'] {
  if (before === undefined || own === undefined) return own ?? before;
  return { set: { ...before.set, ...own.set }, removed: before.removed };
}

type NewPrompt = PromptToSend & { readonly type: 'new' };

type Filled =
  | {
      readonly type: 'filled';
      readonly prompt: NewPrompt;
      readonly settings: SessionSettings;
      readonly check: AnswerCheck | undefined;
    }
  | { readonly type: 'unconfirmed'; readonly problem: string; readonly hasSecrets: true };

/** Fills a prompt file and checks its texts for secrets. @throws Failure */
export async function fillPrompt(
  core: SessionCore,
  prompt: NewPrompt & Required<NewPrompt>,
  settings: SessionSettings,
  signal: AbortSignal,
): Promise<Filled> {
  const { use } = prompt;
  const { prompts, guard } = core;
  const { content, settings: own, notices, check } = await prompts.fill(use, signal);
  core.print(notices.map((text) => notice(cleanLine(core.context, text))));
  const texts: readonly AttachedFile[] = [
    { name: `/${use.name}`, content },
    { name: `the system prompt of /${use.name}`, content: own.system ?? '' },
  ];
  const { files, problem } = guard.inspect(texts, prompt);
  if (problem !== undefined) return { type: 'unconfirmed', problem, hasSecrets: true };
  const [text, system] = files.map((file) => file.content);
  const sent = text ?? content;
  return {
    type: 'filled',
    prompt: { ...prompt, content: sent, shown: shownText(recalledDraft(sent, 1)) },
    settings: {
      ...settings,
      ...own,
      parameters: mergedParameters(settings.parameters, own.parameters),
      ...(own.system !== undefined && { system: system ?? '' }),
    },
    check,
  };
}
