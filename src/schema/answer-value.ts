// What natter adds to a prompt with a schema. docs/json.md shows these texts.

import { type JsonObject, jsonProblem, parseJson } from '../json.ts';

/** Where and how a value does not conform to a schema. */
export interface Violation {
  /** A JSON Pointer; empty for the whole answer. */
  readonly path: string;
  /** A predicate: `must be integer`. */
  readonly message: string;
}

/** `/age must be integer`, `the answer is not JSON`. */
export function describeViolation({ path, message }: Violation): string {
  return `${path === '' ? 'the answer' : path} ${message}`;
}

/** The first violation, and how many more there are. */
export function describeViolations([first, ...others]: readonly Violation[]): string {
  if (first === undefined) return '';
  const more = others.length === 0 ? '' : `, and ${others.length} more`;
  return `${describeViolation(first)}${more}`;
}

/** The first ones of a long list are enough to correct an answer. */
const maxListed = 20;

const only = 'Write only the JSON: no code fence and no other text.';

/** The prompt with the schema behind it. */
export function withInstruction(prompt: string, schema: JsonObject): string {
  const instruction = `Answer with one JSON value that conforms to the JSON Schema below. ${only}`;
  return `${prompt}\n\n${instruction}\n\n${JSON.stringify(schema)}`;
}

/** The prompt that follows an answer with violations. */
export function correctionPrompt(violations: readonly Violation[]): string {
  const lines = violations.slice(0, maxListed).map((one) => `- ${describeViolation(one)}`);
  return `Your answer does not conform to the JSON Schema:\n\n${lines.join('\n')}\n\nAnswer again with one JSON value that conforms to it. ${only}`;
}

/** The JSON value of an answer. */
export interface AnswerValue {
  /** The text that the model wrote, without spaces around it. */
  readonly text: string;
  readonly value: unknown;
}

const openingFence = /^ {0,3}(?<fence>`{3,}|~{3,})[^\n]*(?:\n|$)/m;

/** The first code block of a text; undefined without one that is closed. */
function firstBlock(text: string) {
  const opening = openingFence.exec(text);
  const fence = opening?.groups?.['fence'];
  if (opening === null || fence === undefined) return undefined;
  const rest = text.slice(opening.index + opening[0].length);
  const closing = new RegExp(`^ {0,3}${fence}[ \\t\\r]*$`, 'm').exec(rest);
  if (closing === null) return undefined;
  return {
    content: rest.slice(0, closing.index).trim(),
    before: text.slice(0, opening.index),
    after: rest.slice(closing.index + closing[0].length),
  };
}

/** Whether text around a block may be the answer as well as the block: a line is JSON, or the part in brackets. */
function hasJson(text: string): boolean {
  const bracketed = /[[{][^]*[\]}]/.exec(text)?.[0] ?? '';
  const parts = [bracketed, ...text.split('\n')].map((part) => part.trim());
  return parts.some((part) => part !== '' && parseJson(part) !== undefined);
}

/** The JSON of an answer: its only code block, else the whole text. @returns the problem of an ambiguous answer */
function textOfValue(text: string): { readonly text: string } | { readonly problem: string } {
  if (parseJson(text) !== undefined) return { text };
  const block = firstBlock(text);
  if (block === undefined) {
    return openingFence.test(text) ? { problem: 'has a code block without an end' } : { text };
  }
  if (openingFence.test(block.after)) return { problem: 'has more than one code block' };
  if (hasJson(block.before) || hasJson(block.after)) {
    return { problem: 'has JSON inside and outside a code block' };
  }
  return { text: block.content };
}

/**
 * The value of an answer that is JSON, or has it in its only code block and none around it. Nothing is repaired.
 * @returns the violation of any other answer
 */
export function readAnswerValue(content: string): AnswerValue | Violation {
  const found = textOfValue(content.trim());
  if ('problem' in found) return { path: '', message: found.problem };
  const { text } = found;
  const value = parseJson(text);
  if (value === undefined)
    return { path: '', message: text === '' ? 'is empty' : jsonProblem(text) };
  return { text, value };
}
