import { nearlyNamed } from '../../near-name.ts';
import type { OpenedPrompt, PromptUse } from '../state/prompt-command.ts';
import { type Problem, valueProblem } from './prompt-line.ts';

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
