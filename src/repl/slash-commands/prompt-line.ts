import type { PromptUse, PromptVariable } from '../state/prompt-command.ts';

export interface Problem {
  readonly problem: string;
  readonly hint: string;
}

/** Why a value cannot be used; undefined if it can. */
export function valueProblem(
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
