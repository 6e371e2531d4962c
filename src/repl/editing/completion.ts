import { graphemes } from '../../terminal/text/width.ts';
import { replaceRange } from './text-buffer.ts';
import type { Draft, TextBuffer } from './text-buffer.ts';

/** What stands at the caret and could be completed; the caller finds the candidates for it. */
export interface CompletionRequest {
  /** `command`: names of slash commands. `argument`: values for `command`. `path`: names in `folder`. */
  readonly kind: 'command' | 'argument' | 'path';
  /** UTF-16 offsets of what a candidate replaces. */
  readonly from: number;
  readonly to: number;
  /** What is typed of the name so far. */
  readonly typed: string;
  /** The slash command whose argument it is, without the slash. */
  readonly command?: string;
  /** As typed, with its last slash (`src/`, `~/`, `/`); empty for the current folder. */
  readonly folder?: string;
  /** An `@file` in the text, where a name with blanks stands in quotes. */
  readonly isMention?: boolean;
}

export interface Candidate {
  /** A command's name without slash, an argument, or the name of a file or folder. */
  readonly value: string;
  readonly summary?: string;
  readonly isFolder?: boolean;
}

/** What a slash command takes: a value (to the end of the line), or files, or nothing that can be completed. */
export type ArgumentKind = 'value' | 'path';

/** Characters before the caret that are looked at. */
const reach = 4096;

function pathRequest(path: string, from: number, to: number): CompletionRequest {
  const slash = path.lastIndexOf('/') + 1;
  return { kind: 'path', from, to, folder: path.slice(0, slash), typed: path.slice(slash) };
}

function findMention(head: string, cursor: number): CompletionRequest | undefined {
  const found = /(?:^|\s)@("?)((?<=")[^"\n]*|(?<!")[^\s"]*)$/.exec(head.slice(-reach));
  if (found === null) return undefined;
  const [, quote = '', path = ''] = found;
  const from = cursor - path.length - quote.length;
  return { ...pathRequest(path, from, cursor), isMention: true };
}

function findArgument(
  head: string,
  cursor: number,
  kindOf: (command: string) => ArgumentKind | undefined,
): CompletionRequest | undefined {
  const [, command, argument = ''] = /^\/(\S+)[ \t]+(.*)$/.exec(head) ?? [];
  if (command === undefined) return undefined;
  const kind = kindOf(command);
  if (kind === undefined) return undefined;
  if (kind === 'path') {
    const path = /\S*$/.exec(argument)?.[0] ?? '';
    return pathRequest(path, cursor - path.length, cursor);
  }
  const from = cursor - argument.length;
  return { kind: 'argument', command, from, to: cursor, typed: argument };
}

/**
 * What Tab could complete at the caret: `/command`, its argument (`argumentKind` tells which one it takes),
 * or `@file`; undefined in other text. `//` begins no command.
 */
export function findCompletion(
  { text, cursor }: Draft,
  argumentKind: (command: string) => ArgumentKind | undefined,
): CompletionRequest | undefined {
  if (text.startsWith('/') && !text.startsWith('//')) {
    const head = text.slice(0, Math.min(cursor, reach));
    const name = cursor > reach ? undefined : /^\/(\S*)$/.exec(head)?.[1];
    if (name !== undefined && cursor > 0) {
      return { kind: 'command', from: 1, to: cursor, typed: name };
    }
    const argument = cursor > reach ? undefined : findArgument(head, cursor, argumentKind);
    if (argument !== undefined) return argument;
  }
  return findMention(text.slice(Math.max(0, cursor - reach), cursor), cursor);
}

/** The candidates that fit what is typed: those that begin with it, then those that hold it, capitals or not. */
export function matchCandidates(
  { kind, typed }: CompletionRequest,
  candidates: readonly Candidate[],
): readonly Candidate[] {
  const wanted = typed.toLowerCase();
  const visible = candidates.filter(
    ({ value }) => kind !== 'path' || !value.startsWith('.') || typed.startsWith('.'),
  );
  const places = visible.map((candidate) => ({
    candidate,
    at: candidate.value.toLowerCase().indexOf(wanted),
  }));
  const beginning = places.filter(({ at }) => at === 0);
  const holding = places.filter(({ at }) => at > 0);
  return [...beginning, ...holding].map(({ candidate }) => candidate);
}

/** What all candidates begin with, in whole characters. */
export function commonBeginning(candidates: readonly Candidate[]): string {
  const [first = '', ...others] = candidates.map(({ value }) => value);
  let common = '';
  for (const character of graphemes(first)) {
    const longer = common + character;
    if (!others.every((value) => value.startsWith(longer))) break;
    common = longer;
  }
  return common;
}

function replacementOf(request: CompletionRequest, { value, isFolder }: Candidate): string {
  if (request.kind !== 'path') return value;
  const path = `${request.folder ?? ''}${value}${isFolder === true ? '/' : ''}`;
  if (request.isMention !== true || !/\s/.test(path)) return path;
  // An open quote lets the names in the folder follow.
  return isFolder === true ? `"${path}` : `"${path}"`;
}

/** The buffer with a candidate in place of what was typed, and a blank where something else can follow. */
export function applyCandidate(
  buffer: TextBuffer,
  request: CompletionRequest,
  candidate: Candidate,
): TextBuffer {
  const isWhole = request.kind !== 'argument' && candidate.isFolder !== true;
  const hasBlank = /\s/.test(buffer.text.charAt(request.to));
  const replacement = replacementOf(request, candidate) + (isWhole && !hasBlank ? ' ' : '');
  return replaceRange(buffer, request.from, request.to, replacement);
}
