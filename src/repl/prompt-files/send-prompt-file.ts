import { startPrompt } from '../answers/send-prompt.ts';
import { Failure } from '../../failure.ts';
import { nearlyNamed } from '../../near-name.ts';
import { unknownVariable } from '../../prompt-files/prompt-arguments.ts';
import { draftFrom, isEmpty, withDraft } from '../composer/text-buffer.ts';
import { mentionsOf } from '../files/attachments.ts';
import type { Session } from '../session.ts';
import type { Dialog, PromptUse, ReplState, Update } from '../state.ts';
import { printNotice, refuse, step } from '../step.ts';
import {
  findPromptFiles,
  openPrompt,
  type OpenedPrompt,
  type PromptVariable,
} from './prompt-files.ts';

/** The variables to ask for, and `undefined` for the text; the first one is being asked for. */
type Missing = readonly (PromptVariable | undefined)[];

/** Sends a prompt file, or asks for its values. */
export async function openPromptFile(
  session: Session,
  named: Readonly<{ name: string; argument: string; onMissing: (state: ReplState) => Update }>,
  signal: AbortSignal,
) {
  const prompt = await openPrompt(session, named.name, signal);
  const use = prompt && readPromptArguments(prompt, named.argument);
  session.update((state) =>
    use ? askOrSend(state, use, missingOf(state, use)) : named.onMissing(state),
  );
  return [];
}

/** Lists the prompt files again, as commands. */
export async function listPromptFiles(session: Session): Promise<void> {
  const promptFiles = findPromptFiles(session.context);
  session.update((state) => step({ ...state, promptFiles }));
}

export async function valueCandidates(session: Session, name: string) {
  const prompt = await openPrompt(session, name, session.context.signal);
  const variables = prompt?.variables ?? [];
  return variables.flatMap(({ name: variable, choices = [''], description: summary }) =>
    choices.map((choice) => ({ value: `${variable}=${choice}`, summary })),
  );
}

/** Why a value cannot be used; undefined if it can. */
function valueProblem({ name, choices, default: usual }: PromptVariable, value: string) {
  if (choices !== undefined && !choices.includes(value)) {
    return `${name} must be one of ${choices.join(', ')}`;
  }
  return value.trim() === '' && usual === undefined ? `${name} needs a value` : undefined;
}

function quoted(value: string): string {
  if (/^[^\s"']+$/.test(value)) return value;
  return value.includes('"') ? `'${value}'` : `"${value}"`;
}

/** The line that sends a prompt file with these values. */
export function promptLine({ prompt: { name }, values, text }: PromptUse): string {
  const assignments = Object.entries(values).map(([key, value]) => `${key}=${quoted(value)}`);
  return [`/${name}`, ...assignments, text].filter((part) => part !== '').join(' ');
}

/** `lang=ts`, `--lang=ts`, `lang="two words"`, and the blanks after it. */
const assignment =
  /^(?<dashes>--)?(?<name>[A-Za-z_][\w-]*)=(?:"(?<double>[^"]*)"|'(?<single>[^']*)'|(?<plain>\S*))(?=\s|$)\s*/;

/** Reads the values at the start of a text: `lang=ts the rest`. @throws Failure `usage` */
export function readPromptArguments(prompt: OpenedPrompt, argument: string): PromptUse {
  const { variables } = prompt;
  const names = variables.map((variable) => variable.name);
  const values: Record<string, string> = {};
  let text = argument;
  for (;;) {
    const match = assignment.exec(text);
    const { dashes, name, double, single, plain } = match?.groups ?? {};
    if (match === null || name === undefined) return { prompt, values, text };
    const variable = variables.find((known) => known.name === name);
    if (variable === undefined) {
      const isMistyped = dashes !== undefined || nearlyNamed(name, names) !== undefined;
      if (isMistyped) throw unknownVariable(`/${prompt.name}`, name, names);
      return { prompt, values, text };
    }
    const value = double ?? single ?? plain ?? '';
    const problem = valueProblem(variable, value);
    if (problem !== undefined) {
      const hint = `${name}=${variable.choices?.[0] ?? 'TEXT'}`;
      throw new Failure('usage', problem, { hint });
    }
    values[name] = value;
    text = text.slice(match[0].length);
  }
}

function send(state: ReplState, use: PromptUse): Update {
  const { model } = use.prompt;
  const line = promptLine(use);
  const sent = { content: line, shown: line, needsEcho: true, mentions: mentionsOf(use.text), use };
  const own = model === undefined ? undefined : { ...state.settings, model };
  const free: ReplState = { ...state, activity: undefined, dialog: undefined };
  return startPrompt(free, sent, draftFrom(line), own);
}

export function promptDialog(use: PromptUse, missing: Missing): Dialog {
  const { prompt } = use;
  const [variable] = missing;
  const asked: PromptVariable = variable ?? { name: prompt.neededText ?? 'text' };
  const { name, description, choices, default: usual } = asked;
  const what = description === undefined ? '' : `, ${description}`;
  const empty = usual === undefined ? '' : ` (Enter: ${usual})`;
  const title = `/${prompt.name}: ${name}${what}${empty}`;
  /** The command returns to the composer, with the values so far. */
  const cancel = (state: ReplState) => {
    const { composer, isLineMode } = state;
    const isFree = isEmpty(composer) && !isLineMode;
    const line = draftFrom(promptLine(use));
    const restored = isFree ? withDraft(composer, line) : composer;
    const next = { ...state, dialog: undefined, composer: restored };
    return printNotice(next, 'cancelled; nothing was sent');
  };
  const enter = (state: ReplState, text: string) => takeValue(state, use, missing, text);
  if (choices === undefined) {
    return { type: 'entry', label: 'value', title, text: '', takesLines: true, enter, cancel };
  }
  return {
    type: 'choice',
    title,
    choices: choices.map((label) => ({ label, choose: (state) => enter(state, label) })),
    selected: Math.max(0, choices.indexOf(usual ?? '')),
    filtersTyped: true,
    cancel,
  };
}

/** Asks for the first missing value, or sends the prompt. */
function askOrSend(state: ReplState, use: PromptUse, missing: Missing): Update {
  if (missing.length === 0) return send(state, use);
  return step({ ...state, dialog: promptDialog(use, missing) });
}

/** Asks for every variable if there are no arguments; else only for those without a default. */
function missingOf(state: ReplState, { prompt, values, text }: PromptUse) {
  const isBare = Object.keys(values).length === 0 && text === '';
  const variables = prompt.variables.filter(
    (variable) => values[variable.name] === undefined && (isBare || variable.default === undefined),
  );
  const needsText =
    prompt.neededText !== undefined && text === '' && state.attachments.length === 0;
  return [...variables, ...(needsText ? [undefined] : [])];
}

/** Takes the value that was asked for, and asks for the next one; an empty value is the default. */
function takeValue(state: ReplState, use: PromptUse, missing: Missing, text: string): Update {
  const [asked, ...rest] = missing;
  const value = text.trim() || (asked?.default ?? '');
  if (asked === undefined) {
    if (value === '') return refuse(state, 'the prompt file needs a text');
    return askOrSend(state, { ...use, text: value }, rest);
  }
  const problem = valueProblem(asked, value);
  if (problem !== undefined) return refuse(state, problem);
  const values = { ...use.values, [asked.name]: value };
  return askOrSend(state, { ...use, values }, rest);
}
