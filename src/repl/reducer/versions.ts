import { catalogue } from '../../client/contract.ts';
import { endingWith, systemOf, textOf, type Turn } from '../../conversation/tree.ts';
import { figuresLine } from '../../output/figures.ts';
import { currentPath, isAnswered, lastPrompt, versionsOf, withBranch } from '../state/position.ts';
import type { ReplState } from '../state/state.ts';
import { andThen, printNotice, refuse, startAnswer, step, type Step } from './step.ts';

/** Numbers start at 1; `next` and `previous` wrap around. */
export type VersionChoice = 'next' | 'previous' | number;

function indexOf(choice: VersionChoice, index: number, count: number): number {
  if (choice === 'next') return (index + 1) % count;
  if (choice === 'previous') return (index + count - 1) % count;
  return choice - 1;
}

/** Switches to a different version of the last prompt or its answer. */
export function switchVersion(state: ReplState, choice: VersionChoice): Step {
  const { conversation } = state;
  // While a prompt is being edited, its old version is still the current one.
  const branch = state.branch?.reason === 'edit' ? undefined : state.branch;
  const pair = lastPrompt(currentPath(conversation, branch));
  if (pair === undefined) {
    return refuse(state, 'there is no prompt yet', 'type one and press Enter');
  }
  const { ends, index } = versionsOf(conversation, pair);
  if (ends.length < 2) {
    return refuse(state, 'there is only one version', '/retry or /edit adds one');
  }
  const chosen = ends[indexOf(choice, index, ends.length)];
  if (chosen === undefined) return refuse(state, `there are versions 1 to ${ends.length}`);
  if (chosen === ends[index])
    return printNotice(state, `this is version ${choice} of ${ends.length}`);
  const next = state.branch?.reason === 'undo' ? withBranch(state, undefined) : state;
  return step(next, { type: 'select-version', turnId: chosen.id });
}

/** The published model that was not used; undefined if none of the models is published. */
function otherModel(models: readonly (string | undefined)[]): string | undefined {
  const used = models.find((model) => catalogue.some(({ id }) => id === model));
  return used && catalogue.find(({ id }) => id !== used)?.id;
}

/** Notice before a version from a model that only this answer uses. */
export const answersSamePrompt = (model: string) => `${model} answers the same prompt`;

/** Sends the last prompt to a different model, with the same system prompt. */
export function compare(state: ReplState, argument: string): Step {
  const { conversation, branch, settings } = state;
  const pair = lastPrompt(currentPath(conversation, branch));
  if (pair === undefined || !isAnswered(pair)) {
    return refuse(state, 'there is no answer to compare with', 'type a prompt and press Enter');
  }
  if (/\s/.test(argument))
    return refuse(state, 'a model id cannot contain spaces', '/models lists them');
  const { prompt, answer } = pair;
  const model = argument || otherModel([answer.model, settings.model]);
  if (model === undefined) {
    return refuse(state, '/compare needs a model', '/compare nextgen; /models lists them');
  }
  const system = systemOf(endingWith(conversation, prompt.id));
  const comparison = { settings: { ...settings, model, system }, comparedWith: answer.id };
  return andThen(printNotice(state, answersSamePrompt(model)), (next) =>
    startAnswer(next, { type: 'repeat', turnId: prompt.id }, undefined, comparison),
  );
}

function endingOf({ failure, finishReason, incomplete }: Turn): string {
  return failure ?? (incomplete === true ? 'stopped' : (finishReason ?? '-'));
}

/** Prints the figures of both answers of a comparison, a line each, with their version numbers. */
export function reportFigures(state: ReplState, comparedWith: string): Step {
  const { conversation, branch } = state;
  const pair = lastPrompt(currentPath(conversation, branch));
  if (pair === undefined) return step(state);
  const { ends } = versionsOf(conversation, pair);
  const lines = ends.flatMap((turn, index) => {
    if (turn.id !== comparedWith && turn.id !== pair.answer?.id) return [];
    const { usage, timing, model = 'answer' } = turn;
    const content = textOf(turn);
    const line = figuresLine({ label: model, content, usage, timing, endReason: endingOf(turn) });
    return [`version ${index + 1}: ${line}`];
  });
  return printNotice(state, lines.join('\n'));
}
