import { withValues } from '../../settings/resolved-settings.ts';
import { Failure } from '../../failure.ts';
import { findPrompt } from '../../prompt-files/find-prompt.ts';
import { failureAt } from '../../prompt-files/place.ts';
import { readArguments } from '../../prompt-files/prompt-arguments.ts';
import { type PromptFile, usesOf, variablesOf } from '../../prompt-files/prompt-file.ts';
import type { StartedRun } from '../../run.ts';
import { type ChatOptions, type ChatRun, prepare } from '../chat/chat-run.ts';
import { sendPrompt } from '../chat/run.ts';
import { beforeDashes } from '../../cli/command-line.ts';
import { loadPromptFile, readInserted, promptPlaces } from '../../input/load-prompt-file.ts';
import { readHistory } from '../../input/read-messages.ts';
import { type PromptSources, readSources } from '../../input/read-prompt.ts';
import { hasInputPlaceholder } from '../../conversation/compose-prompt.ts';
import { openSecretGuard } from '../../input/secret-guard.ts';
import { composeFile, isFlag, readOwnSchema, sourceOf, withFileSettings } from './use-file.ts';

const isVariable = (word: string) => word.startsWith('--');

/** The hint for words that are a prompt and not a prompt file: `natter run away with me`. */
function promptHint(name: string, line: readonly string[]): string | undefined {
  if (isVariable(name)) return `put the name of the prompt file first: ‹natter run NAME ${name}›`;
  if (line.length === 0 || line.some(isVariable)) return undefined;
  return `to send it as a prompt: ‹natter chat run ${[name, ...line].join(' ')}›`;
}

/**
 * Refuses a variable that cannot be set, because natter has an option with its name.
 * @throws Failure `usage` with the file and the line
 */
function refuseOptionNames(names: ReadonlySet<string | undefined>, prompt: PromptFile): void {
  const taken = variablesOf(prompt).find(({ name }) => names.has(`--${name}`));
  if (taken === undefined) return;
  const { name, place } = taken;
  throw failureAt(place, `the variable ${name} has the name of an option of natter`, {
    hint: `choose a different name, or write \\{{${name}}} for the text`,
  });
}

/** Options of `natter chat` alone. */
const chatOption = /^(?:-i|--(?:every|split|interactive))$/;

/** @throws Failure `usage` for an option of `natter chat` alone, unless the file has a variable with its name */
function refuseChatOptions(prompt: PromptFile, line: readonly string[]): void {
  const options = line.map((word) => word.replace(/=.*/s, ''));
  const names = new Set(variablesOf(prompt).map(({ name }) => `--${name}`));
  const option = options.find((word) => chatOption.test(word) && !names.has(word));
  if (option === undefined) return;
  throw new Failure('usage', `natter run does not take ${option}`, {
    hint: 'for --split and --every, write the prompt itself; ‹natter -i --continue› goes on after the answer',
  });
}

async function readInputs(
  run: ChatRun,
  prompt: PromptFile,
  line: readonly string[],
): Promise<PromptSources> {
  const [placed] = usesOf(prompt, 'stdin');
  const refuse =
    placed &&
    ((reason: string): never => {
      throw failureAt(placed.place, `{{${placed.name}}} needs text, but ${reason}`, {
        hint: `for example: ‹natter run ${prompt.file.name} < notes.txt›`,
      });
    });
  const hasPrompt = prompt.prompt.length > 0;
  const isPlaced = placed !== undefined || hasInputPlaceholder(run.options.system);
  return readSources(run, line, { hasPrompt, isPlaced, refuse });
}

/**
 * Runs `natter run`.
 * @param line the words after the name, and the variables as `--name value` or `--name=value`
 * @param optionNames the options that variables cannot have the names of: `--model`
 * @throws Failure, or the reason `context.signal` was aborted with
 */
export async function runPrompt(
  started: StartedRun<ChatOptions>,
  name: string,
  line: readonly string[],
  optionNames: ReadonlySet<string | undefined>,
): Promise<void> {
  const run = prepare(started);
  const { context, options, presentation } = run;
  const { signal } = context;
  const found = findPrompt(promptPlaces(context), name, promptHint(name, line));
  const guard = openSecretGuard(run);
  const { messages: history, settings: own } = await readHistory(run, true, guard);
  const prompt = await loadPromptFile(found, signal, guard);
  for (const notice of prompt.notices) presentation.notices.notice(notice);
  refuseOptionNames(optionNames, prompt);
  refuseChatOptions(prompt, beforeDashes(line));
  const given = readArguments(prompt, line);
  const settings = withFileSettings(own, prompt);
  const contentOf = await readInserted(found, prompt, signal, guard);
  const sources = await readInputs({ ...run, guard }, prompt, line);
  // The system prompt of --system, or of the role of --role.
  const systemOption = own.sources.system.kind === 'flag' ? own.values.system : undefined;
  const contents = { ...sources, given, contentOf, systemOption };
  const { prompt: text, system } = composeFile(prompt, contents);
  const ownSchema =
    options.schema === undefined
      ? await readOwnSchema(found, prompt, options, signal, guard)
      : undefined;
  const from = settings.sources.system;
  const source = isFlag(from) ? from : sourceOf(prompt);
  const effective = system === undefined ? settings : withValues(settings, { system }, source);
  const sending = { ...run, settings: effective, guard, ownSchema, history, command: 'run' };
  await sendPrompt(sending, text);
}
