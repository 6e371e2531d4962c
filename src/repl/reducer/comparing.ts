import { catalogue } from '../../client/contract.ts';
import { systemOf, textOf, type Turn } from '../../conversation/tree.ts';
import { figuresLine } from '../../output/figures.ts';
import { currentPath, endingWith, isAnswered, lastExchange } from '../state/position.ts';
import type { ReplState } from '../state/state.ts';
import { versionsOf } from '../state/versions.ts';
import { ask } from './asking.ts';
import { andThen, refuse, say, step, type Step } from './step.ts';

/** The other one of the two published models; undefined if neither was used. */
function otherModel(models: readonly (string | undefined)[]): string | undefined {
  const asked = models.find((model) => catalogue.some(({ id }) => id === model));
  return asked && catalogue.find(({ id }) => id !== asked)?.id;
}

/** Sends the last prompt to another model, with the same system prompt. */
export function compare(state: ReplState, argument: string): Step {
  const { conversation, branch, choices } = state;
  const exchange = lastExchange(currentPath(conversation, branch));
  if (exchange === undefined || !isAnswered(exchange)) {
    return refuse(state, 'there is no answer to compare with', 'type a prompt and press Enter');
  }
  if (/\s/.test(argument))
    return refuse(state, 'a model id cannot contain spaces', '/models lists them');
  const { prompt, answer } = exchange;
  const model = argument || otherModel([answer.model, choices.model]);
  if (model === undefined) {
    return refuse(state, '/compare needs a model', '/compare nextgen; /models lists them');
  }
  const system = systemOf(endingWith(conversation, prompt.id));
  const question = { type: 'again', turnId: prompt.id } as const;
  const comparison = { choices: { ...choices, model, system }, comparedWith: answer.id };
  return andThen(say(state, `${model} answers the same prompt`), (next) =>
    ask(next, question, undefined, comparison),
  );
}

function endingOf({ failure, finishReason, incomplete }: Turn): string {
  return failure ?? (incomplete === true ? 'stopped' : (finishReason ?? '-'));
}

/** Prints one line of figures for each of the two answers, with its version number. */
export function tellFigures(state: ReplState, comparedWith: string): Step {
  const { conversation, branch } = state;
  const exchange = lastExchange(currentPath(conversation, branch));
  if (exchange === undefined) return step(state);
  const { ends } = versionsOf(conversation, exchange);
  const lines = ends.flatMap((turn, index) => {
    if (turn.id !== comparedWith && turn.id !== exchange.answer?.id) return [];
    const { usage, timing, model = 'answer' } = turn;
    const content = textOf(turn);
    const line = figuresLine({ label: model, content, usage, timing, ending: endingOf(turn) });
    return [`version ${index + 1}: ${line}`];
  });
  return say(state, lines.join('\n'));
}
