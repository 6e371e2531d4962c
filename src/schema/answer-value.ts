import { jsonProblem, parseJson } from '../json.ts';
import type { Violation } from './violation.ts';

/** The JSON value of an answer. */
export interface AnswerValue {
  /** As the model wrote it, without spaces around it. */
  readonly text: string;
  readonly value: unknown;
}

/** The text in a code fence around the whole answer; else the text itself. */
function withoutFence(text: string): string {
  const fence = /^(?:`{3,}|~{3,})/.exec(text)?.[0];
  if (fence === undefined || !text.endsWith(`\n${fence}`)) return text;
  const begin = text.indexOf('\n');
  const end = text.length - fence.length - 1;
  return begin < end ? text.slice(begin + 1, end).trim() : text;
}

function problemOf(text: string): string {
  if (text === '') return 'is empty';
  const hasBlock = /^(?:`{3,}|~{3,})/m.test(text);
  return hasBlock ? 'is not JSON alone: it has text around a code block' : jsonProblem(text);
}

/**
 * The value of an answer that is JSON, or JSON in one code fence. Nothing else is removed or repaired.
 * @returns the violation of any other answer
 */
export function readAnswerValue(content: string): AnswerValue | Violation {
  const trimmed = content.trim();
  const text = withoutFence(trimmed);
  const value = parseJson(text);
  if (value === undefined) return { path: '', message: problemOf(text) };
  return { text, value };
}
