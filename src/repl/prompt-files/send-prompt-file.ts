import { startPrompt } from '../answers/send-prompt.ts';
import { nearlyNamed } from '../../near-name.ts';
import type { Candidate } from '../composer/completion.ts';
import { draftFrom, isEmpty, withDraft } from '../composer/text-buffer.ts';
import { failureEntry, type Entry } from '../transcript/transcript.ts';
import { mentionsOf } from '../files/mentioned-files.ts';
import type { Session } from '../session.ts';
import type { Dialog, ReplState, Step } from '../state.ts';
import { printNotice, refuse, step } from '../step.ts';
import type { OpenedPrompt, PendingPrompt, PromptUse, PromptVariable } from './prompt-command.ts';

/** Looks for a prompt file, and sends it or asks for its values; undefined if there is none with this name. */
export async function openPromptFile(
  session: Session,
  { name, argument }: { readonly name: string; readonly argument: string },
  signal: AbortSignal,
): Promise<readonly Entry[] | undefined> {
  const prompt = await session.prompts.open(name, signal);
  if (prompt === undefined) return undefined;
  const typed = readPromptArguments(prompt, argument);
  if ('problem' in typed) return [failureEntry(typed.problem, typed.hint)];
  session.update((state) => onPromptOpened(state, prompt, typed));
  return [];
}

/** Lists the prompt files again, as commands. */
export async function listPromptFiles(session: Session): Promise<void> {
  const promptFiles = await session.prompts.list();
  session.update((state) => step({ ...state, promptFiles }));
}

const assignmentsOf = ({ name, choices, description }: PromptVariable): readonly Candidate[] =>
  choices === undefined
    ? [{ value: `${name}=`, ...(description !== undefined && { summary: description }) }]
    : choices.map((choice) => ({ value: `${name}=${choice}` }));

/** Completions for the values of a prompt file. */
export async function valueCandidates(
  session: Session,
  name: string,
): Promise<readonly Candidate[]> {
  const prompt = await session.prompts.open(name, new AbortController().signal);
  return prompt?.variables.flatMap(assignmentsOf) ?? [];
}

interface Problem {
  readonly problem: string;
  readonly hint: string;
}

/** Why a value cannot be used; undefined if it can. */
function valueProblem(
  { name, choices, default: usual }: PromptVariable,
  value: string,
): Problem | undefined {
  if (choices !== undefined && !choices.includes(value)) {
    return {
      problem: `${name} must be one of ${choices.join(', ')}`,
      hint: `${name}=${choices[0]}`,
    };
  }
  return value.trim() === '' && usual === undefined
    ? { problem: `${name} needs a value`, hint: `${name}=TEXT` }
    : undefined;
}

function quoted(value: string): string {
  if (/^[^\s"']+$/.test(value)) return value;
  return value.includes('"') ? `'${value}'` : `"${value}"`;
}

/** The line that sends a prompt file with these values. */
export function promptLine({ name, values, text }: PromptUse): string {
  const assignments = Object.entries(values).map(([key, value]) => `${key}=${quoted(value)}`);
  return [`/${name}`, ...assignments, text].filter((part) => part !== '').join(' ');
}

/** `lang=ts`, `--lang=ts`, `lang="two words"`, and the blanks after it. */
const assignment =
  /^(?<dashes>--)?(?<name>[A-Za-z_][\w-]*)=(?:"(?<double>[^"]*)"|'(?<single>[^']*)'|(?<plain>\S*))(?=\s|$)\s*/;

function unknownProblem({ variables }: OpenedPrompt, name: string): Problem {
  const names = variables.map((variable) => variable.name);
  const near = nearlyNamed(name, names);
  const list = names.length === 0 ? 'it has none' : `its variables are ${names.join(', ')}`;
  const hint = near === undefined ? list : `did you mean ${near}=?`;
  return { problem: `the prompt file has no variable "${name}"`, hint };
}

/** Reads the values at the start of a text: `lang=ts the rest`. */
export function readPromptArguments(
  prompt: OpenedPrompt,
  argument: string,
): Pick<PromptUse, 'values' | 'text'> | Problem {
  const values: Record<string, string> = {};
  let text = argument;
  for (;;) {
    const match = assignment.exec(text);
    const { dashes, name, double, single, plain } = match?.groups ?? {};
    if (match === null || name === undefined) return { values, text };
    const variable = prompt.variables.find((known) => known.name === name);
    if (variable === undefined) {
      const isMistyped =
        dashes !== undefined ||
        nearlyNamed(
          name,
          prompt.variables.map((known) => known.name),
        ) !== undefined;
      return isMistyped ? unknownProblem(prompt, name) : { values, text };
    }
    const value = double ?? single ?? plain ?? '';
    const problem = valueProblem(variable, value);
    if (problem !== undefined) return problem;
    values[name] = value;
    text = text.slice(match[0].length);
  }
}

function send(state: ReplState, { prompt, values, text }: PendingPrompt): Step {
  const { name, model } = prompt;
  const use = { name, values, text };
  const line = promptLine(use);
  const sent = { content: line, shown: line, needsEcho: true, mentions: mentionsOf(text), use };
  const options = model === undefined ? undefined : { settings: { ...state.settings, model } };
  const free: ReplState = { ...state, activity: undefined, dialog: undefined };
  return startPrompt(free, sent, draftFrom(line), options);
}

function variableTitle(
  { name, description, default: usual }: PromptVariable,
  { prompt }: PendingPrompt,
): string {
  const what = description === undefined ? '' : `, ${description}`;
  const empty = usual === undefined ? '' : ` (Enter: ${usual})`;
  return `/${prompt.name}: ${name}${what}${empty}`;
}

/** Asks for the first missing value of a prompt file. */
export function promptDialog(pending: PendingPrompt): Dialog {
  const [variable] = pending.missing;
  const { prompt } = pending;
  const cancel = (state: ReplState) => cancelPrompt(state, pending);
  const enter = (state: ReplState, text: string) => takeValue(state, pending, text);
  if (variable === undefined) {
    const title = `/${prompt.name}: ${prompt.neededText ?? 'text'}`;
    return { type: 'entry', label: 'value', title, text: '', takesLines: true, enter, cancel };
  }
  const title = variableTitle(variable, pending);
  const { choices, default: usual = '' } = variable;
  if (choices === undefined) {
    return { type: 'entry', label: 'value', title, text: '', takesLines: true, enter, cancel };
  }
  return {
    type: 'choice',
    title,
    choices: choices.map((label) => ({ label, choose: (state) => enter(state, label) })),
    selected: Math.max(0, choices.indexOf(usual)),
    selectsTyped: true,
    cancel,
  };
}

/** Asks for the first missing value, or sends the prompt. */
function askOrSend(state: ReplState, pending: PendingPrompt): Step {
  if (pending.missing.length === 0) return send(state, pending);
  return step({ ...state, dialog: promptDialog(pending) });
}

/** Without arguments, every variable is asked for; else only those without a default. */
function missingOf(
  state: ReplState,
  prompt: OpenedPrompt,
  { values, text }: Pick<PendingPrompt, 'values' | 'text'>,
): PendingPrompt['missing'] {
  const isBare = Object.keys(values).length === 0 && text === '';
  const variables = prompt.variables.filter(
    (variable) => values[variable.name] === undefined && (isBare || variable.default === undefined),
  );
  const needsText =
    prompt.neededText !== undefined && text === '' && state.attachments.length === 0;
  return [...variables, ...(needsText ? [undefined] : [])];
}

/** Asks for the missing values, or sends the prompt. */
function onPromptOpened(
  state: ReplState,
  prompt: OpenedPrompt,
  typed: Pick<PromptUse, 'values' | 'text'>,
): Step {
  const line = promptLine({ name: prompt.name, ...typed });
  return askOrSend(state, { prompt, ...typed, line, missing: missingOf(state, prompt, typed) });
}

/** The value as entered; an empty one is the default. */
function valueOf(variable: PromptVariable | undefined, entered: string): string {
  const value = entered.trim();
  return value === '' ? (variable?.default ?? '') : value;
}

/** Takes the value that was asked for, and asks for the next one. */
function takeValue(state: ReplState, pending: PendingPrompt, entered: string): Step {
  const [asked, ...missing] = pending.missing;
  const value = valueOf(asked, entered);
  if (asked === undefined) {
    if (value === '') return refuse(state, 'the prompt file needs a text');
    return askOrSend(state, { ...pending, text: value, missing });
  }
  const problem = valueProblem(asked, value);
  if (problem !== undefined) return refuse(state, problem.problem);
  return askOrSend(state, {
    ...pending,
    values: { ...pending.values, [asked.name]: value },
    missing,
  });
}

/** Closes the dialog; the command returns to the composer. */
function cancelPrompt(state: ReplState, { line }: PendingPrompt): Step {
  const { composer } = state;
  const isFree = isEmpty(composer) && !state.isLineMode;
  const next: ReplState = {
    ...state,
    dialog: undefined,
    composer: isFree ? withDraft(composer, draftFrom(line)) : composer,
  };
  return printNotice(next, 'cancelled; nothing was sent');
}
