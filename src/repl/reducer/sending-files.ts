import { draftFrom, isEmpty, withDraft } from '../composer/text-buffer.ts';
import { promptLine, valueProblem } from '../slash-commands/prompt-line.ts';
import { promptDialog } from '../state/dialog.ts';
import type {
  OpenedPrompt,
  PendingPrompt,
  PromptUse,
  PromptVariable,
} from '../state/prompt-command.ts';
import { nextParent, withBranch } from '../state/position.ts';
import type { ReplState } from '../state/state.ts';
import { printNotice, refuse, startAnswer, step, type Step } from './step.ts';
import { mentionsOf } from './submitting.ts';

function send(state: ReplState, { prompt, values, text }: PendingPrompt): Step {
  const { name, model } = prompt;
  const use = { name, values, text };
  const line = promptLine(use);
  const sent = {
    type: 'new',
    content: line,
    shown: line,
    needsEcho: true,
    files: state.attachments,
    mentions: mentionsOf(text),
    isConfirmed: line === state.unconfirmed,
    isRedacted: state.isRedacting === true,
    parent: nextParent(state),
    use,
  } as const;
  const options = model === undefined ? undefined : { settings: { ...state.settings, model } };
  const free: ReplState = {
    ...state,
    activity: undefined,
    dialog: undefined,
    unconfirmed: undefined,
  };
  const started = startAnswer(free, sent, draftFrom(line), options);
  return { ...started, state: withBranch(started.state, undefined) };
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
export function onPromptOpened(
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
export function answerPromptDialog(
  state: ReplState,
  pending: PendingPrompt,
  entered: string,
): Step {
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
export function cancelPromptDialog(state: ReplState, { line }: PendingPrompt): Step {
  const { composer } = state;
  const isFree = isEmpty(composer) && !state.isLineMode;
  const next: ReplState = {
    ...state,
    dialog: undefined,
    composer: isFree ? withDraft(composer, draftFrom(line)) : composer,
  };
  return printNotice(next, 'cancelled; nothing was sent');
}
