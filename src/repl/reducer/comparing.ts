import { catalogue } from '../../client/contract.ts';
import { systemOf, textOf, type Turn } from '../../conversation/tree.ts';
import { figuresLine } from '../../output/figures.ts';
import { currentPath, endingWith, isAnswered, lastPrompt } from '../state/position.ts';
import type { ReplState } from '../state/state.ts';
import { versionsOf } from '../state/versions.ts';
import { requestAnswer } from './request-answer.ts';
import { andThen, refuse, printNotice, step, type Step } from './step.ts';

/** The other one of the two published models; undefined if neither was used. */
function otherModel(models: readonly (string | undefined)[]): string | undefined {
  const asked = models.find((model) => catalogue.some(({ id }) => id === model));
  return asked && catalogue.find(({ id }) => id !== asked)?.id;
}

/** Sends the last prompt to another model, with the same system prompt. */
export function compare(state: ReplState, argument: string): Step {
  const { conversation, branch, choices } = state;
  const pair = lastPrompt(currentPath(conversation, branch));
  if (pair === undefined || !isAnswered(pair)) {
    return refuse(state, 'there is no answer to compare with', 'type a prompt and press Enter');
  }
  if (/\s/.test(argument))
    return refuse(state, 'a model id cannot contain spaces', '/models lists them');
  const { prompt, answer } = pair;
  const model = argument || otherModel([answer.model, choices.model]);
  if (model === undefined) {
    return refuse(state, '/compare needs a model', '/compare nextgen; /models lists them');
  }
  const system = systemOf(endingWith(conversation, prompt.id));
  const question = { type: 'again', turnId: prompt.id } as const;
  const comparison = { choices: { ...choices, model, system }, comparedWith: answer.id };
  return andThen(printNotice(state, `${model} answers the same prompt`), (next) =>
    requestAnswer(next, question, undefined, comparison),
  );
}

function endingOf({ failure, finishReason, incomplete }: Turn): string {
  return failure ?? (incomplete === true ? 'stopped' : (finishReason ?? '-'));
}

/** Prints one line of figures for each of the two answers, with its version number. */
export function reportFigures(state: ReplState, comparedWith: string): Step {
  const { conversation, branch } = state;
  const pair = lastPrompt(currentPath(conversation, branch));
  if (pair === undefined) return step(state);
  const { ends } = versionsOf(conversation, pair);
  const lines = ends.flatMap((turn, index) => {
    if (turn.id !== comparedWith && turn.id !== pair.answer?.id) return [];
    const { usage, timing, model = 'answer' } = turn;
    const content = textOf(turn);
    const line = figuresLine({ label: model, content, usage, timing, ending: endingOf(turn) });
    return [`version ${index + 1}: ${line}`];
  });
  return printNotice(state, lines.join('\n'));
}
