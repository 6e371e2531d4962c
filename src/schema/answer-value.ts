import { jsonProblem, parseJson } from '../json.ts';
import type { Violation } from './violation.ts';

/** The JSON value of an answer. */
export interface AnswerValue {
  /** As the model wrote it, without spaces around it. */
  readonly text: string;
  readonly value: unknown;
}

interface CodeBlock {
  readonly content: string;
  readonly before: string;
  readonly after: string;
}

const openingFence = /^ {0,3}(?<fence>`{3,}|~{3,})[^\n]*(?:\n|$)/m;

/** The first code block of a text; undefined without one that is closed. */
function firstBlock(text: string): CodeBlock | undefined {
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
