import { Failure } from '../../failure.ts';
import type { Fault } from './fault-fields.ts';
import { parseFault, type WrittenField } from './parse-fault.ts';

/** The `[sandbox …]` group at the start of a prompt. */
export interface Directive {
  /** The group as written, with its brackets; `times` is counted for each source. */
  readonly source: string;
  readonly fault: Fault;
  /** The prompt without the group. */
  readonly rest: string;
}

/** In characters. Groups are kept in memory for `times`. */
const maxGroupLength = 65_536;

const opening = /^\s*\[sandbox(?=[\s\]:])[:]?/i;

/** The summary of the turns before the prompt, which a compacted conversation sends in the same message. */
const summary = /^Summary of the earlier conversation:\n\n<summary>\n[^]*?\n<\/summary>\n\n/;

/** Spaces, the closing bracket, `name=value` with a quoted value, `name=value`, or `name`. */
const token =
  /[\s,]+|(?<end>\])|(?<quoted>[^\s,=\]]+)=(?:"(?<double>(?:[^"\\]|\\.)*)"|'(?<single>[^']*)')|(?<name>[^\s,=\]]+)(?:=(?!["'])(?<value>[^\s\]]*))?/suy;

function unquote(text: string): string {
  try {
    return String(JSON.parse(`"${text.replaceAll('\n', String.raw`\n`)}"`));
  } catch {
    throw new Failure('usage', `"${text}" has an invalid JSON escape`);
  }
}

function fieldOf(groups: Readonly<Record<string, string | undefined>>): WrittenField | undefined {
  const { quoted, double, single, name, value } = groups;
  if (quoted !== undefined) return [quoted, double === undefined ? single : unquote(double)];
  return name === undefined ? undefined : [name, value];
}

function unreadable(rest: string): Failure {
  if (rest === '') {
    return new Failure('usage', 'the "[sandbox" group has no closing "]"');
  }
  const start = rest.slice(0, 20);
  return new Failure('usage', `cannot parse the "[sandbox" group at ${JSON.stringify(start)}`);
}

/** Names the prompt that lists the fields, because an error body has no hint. */
function withHelp(error: unknown): unknown {
  if (!(error instanceof Failure)) return error;
  return new Failure('usage', `${error.message}; the prompt "[sandbox help]" lists the fields`);
}

/**
 * Parses the group at the start of a prompt: fields as `name=value` or `name`, separated by spaces; values may be in
 * single quotes, or in double quotes with JSON escapes. One space after the group belongs to it.
 * A summary of earlier turns before the group is skipped.
 * @returns undefined if the prompt does not begin with a group
 * @throws Failure `usage` for a group without an end, and for unknown or invalid fields
 */
export function parseDirective(prompt: string): Directive | undefined {
  try {
    return parseGroup(prompt);
  } catch (error) {
    throw withHelp(error);
  }
}

function parseGroup(prompt: string): Directive | undefined {
  const own = prompt.replace(summary, '');
  const start = opening.exec(own)?.[0].length;
  if (start === undefined) return undefined;
  const fields: WrittenField[] = [];
  const text = own.slice(0, maxGroupLength);
  token.lastIndex = start;
  for (;;) {
    const place = token.lastIndex;
    const groups = token.exec(text)?.groups;
    if (groups === undefined) throw unreadable(text.slice(place));
    if (groups['end'] !== undefined) break;
    const field = fieldOf(groups);
    if (field !== undefined) fields.push(field);
  }
  const end = token.lastIndex;
  return {
    source: own.slice(0, end).trim(),
    fault: parseFault(fields),
    rest: own.slice(end).replace(/^\s/, ''),
  };
}

/** A prompt without its group; unchanged if it has none, or an invalid one. */
export function withoutGroup(prompt: string): string {
  try {
    return parseDirective(prompt)?.rest ?? prompt;
  } catch (error) {
    if (error instanceof Failure) return prompt;
    throw error;
  }
}
