import { graphemes } from '../../terminal/text/width.ts';
import { replaceRange, type Draft, type TextBuffer } from './text-buffer.ts';

/** The text at the caret to complete. The caller finds the candidates. */
export interface CompletionRequest {
  /** `command`: names of slash commands. `argument`: values for `command`. `mention`: a path after `@`. */
  readonly kind: 'command' | 'argument' | 'path' | 'mention';
  /** UTF-16 offsets of the text that a candidate replaces. */
  readonly from: number;
  readonly to: number;
  /** The typed part of the name, or of the path with its folders. */
  readonly typed: string;
  /** The slash command that an argument belongs to, without the slash. */
  readonly command?: string;
}

export interface Candidate {
  /** A command's name without slash, an argument, or a path that begins with the typed folder. */
  readonly value: string;
  /** What a command takes, such as `[name]`. */
  readonly argument?: string | undefined;
  readonly summary?: string | undefined;
  readonly isFolder?: boolean;
}

/** The kind of a slash command's argument: a value (to the end of the line), words, or a path. */
export type ArgumentKind = 'value' | 'word' | 'path';

/** Characters before the caret that are searched. */
const searchedLength = 4096;

function findMention(head: string, cursor: number): CompletionRequest | undefined {
  const found = /(?:^|\s)@("?)((?<=")[^"\n]*|(?<!")[^\s"]*)$/.exec(head);
  if (found === null) return undefined;
  const [, quote = '', typed = ''] = found;
  return { kind: 'mention', from: cursor - typed.length - quote.length, to: cursor, typed };
}

/** The name or the argument of a slash command. */
function findInCommand(
  head: string,
  cursor: number,
  kindOf: (command: string) => ArgumentKind | undefined,
): CompletionRequest | undefined {
  const [, name, blanks = '', argument = ''] = /^\/(\S*)([ \t]*)(.*)$/.exec(head) ?? [];
  if (name === undefined) return undefined;
  // A blank such as U+3000 of an input method also ends the name.
  if (blanks === '') {
    return argument === '' ? { kind: 'command', from: 1, to: cursor, typed: name } : undefined;
  }
  const kind = kindOf(name);
  if (kind === undefined) return undefined;
  const typed = kind === 'value' ? argument : (/\S*$/.exec(argument)?.[0] ?? '');
  const place = { from: cursor - typed.length, to: cursor, typed };
  if (kind === 'path') return { kind, ...place };
  if (kind === 'word' && typed.startsWith('@')) return undefined;
  return { kind: 'argument', command: name, ...place };
}

/**
 * The `/command`, argument (of the kind that `argumentKind` returns) or `@file` that Tab can complete at the caret;
 * undefined in other text, including after `//`.
 */
export function findCompletion(
  { text, cursor }: Draft,
  argumentKind: (command: string) => ArgumentKind | undefined,
): CompletionRequest | undefined {
  const head = text.slice(Math.max(0, cursor - searchedLength), cursor);
  const isCommand = cursor <= searchedLength && !text.startsWith('//');
  const found = isCommand ? findInCommand(head, cursor, argumentKind) : undefined;
  return found ?? findMention(head, cursor);
}

/** Whether the text has these letters in this order, also with others between them. */
export function hasLetters(text: string, letters: string): boolean {
  let at = 0;
  for (const letter of letters) {
    at = text.indexOf(letter, at) + 1;
    if (at === 0) return false;
  }
  return true;
}

/** The folder at the start of a typed path, with its slash: `src/`, `~/`, `/`; empty for the current one. */
export const folderOf = ({ kind, typed }: CompletionRequest) =>
  kind === 'path' || kind === 'mention' ? typed.slice(0, typed.lastIndexOf('/') + 1) : '';

/** The name of a command with its slash, of a file in a folder its name, and of a mention its path. */
export function labelOf(request: CompletionRequest, { value, isFolder }: Candidate): string {
  const name = request.kind === 'path' ? value.slice(folderOf(request).length) : value;
  return `${request.kind === 'command' ? '/' : ''}${name}${isFolder === true ? '/' : ''}`;
}

/** How well a candidate matches, 0 best; undefined if it does not. A hidden file needs a typed dot. */
function rankOf(
  { value, summary = '' }: Candidate,
  request: CompletionRequest,
): number | undefined {
  const { kind, typed } = request;
  const { length } = folderOf(request);
  const name = value.slice(length).toLowerCase();
  const wanted = typed.slice(length).toLowerCase();
  const isFile = kind === 'path' || kind === 'mention';
  if (isFile && name.startsWith('.') && !wanted.startsWith('.')) return undefined;
  if (name.startsWith(wanted)) return 0;
  if (name.includes(wanted)) return 1;
  if (kind !== 'command' || wanted.length < 2) return undefined;
  if (hasLetters(name, wanted)) return 2;
  return ` ${summary.toLowerCase()}`.includes(` ${wanted}`) ? 3 : undefined;
}

/**
 * Matching candidates, ignoring case: first those that start with the typed text, then those that contain it. A command
 * is also found by letters of its name, with others between them, and by a word of its summary.
 */
export function matchCandidates(
  request: CompletionRequest,
  candidates: readonly Candidate[],
): readonly Candidate[] {
  const found = candidates.flatMap((candidate) => {
    const rank = rankOf(candidate, request);
    return rank === undefined ? [] : [{ candidate, rank }];
  });
  return found.toSorted((one, other) => one.rank - other.rank).map(({ candidate }) => candidate);
}

/** Extends the typed text to what the candidates have in common, in whole characters, if that is longer. */
export function extendTyped(
  buffer: TextBuffer,
  { to, typed }: CompletionRequest,
  candidates: readonly Candidate[],
): TextBuffer {
  let prefix = '';
  for (const character of graphemes(candidates[0]?.value ?? '')) {
    if (!candidates.every(({ value }) => value.startsWith(prefix + character))) break;
    prefix += character;
  }
  const isLonger = prefix.length > typed.length && prefix.startsWith(typed);
  return isLonger ? replaceRange(buffer, to - typed.length, to, prefix) : buffer;
}

/** Replaces the typed text with a candidate, with a trailing space if more can follow. */
export function applyCandidate(
  buffer: TextBuffer,
  { kind, from, to }: CompletionRequest,
  { value, isFolder = false }: Candidate,
): TextBuffer {
  const path = isFolder ? `${value}/` : value;
  const isQuoted = kind === 'mention' && /\s/.test(path);
  // The quote stays open, so that names in the folder can follow.
  const quoted = isFolder ? `"${path}` : `"${path}"`;
  const hasBlank = /\s/.test(buffer.text.charAt(to));
  const space = kind !== 'argument' && !isFolder && !hasBlank ? ' ' : '';
  return replaceRange(buffer, from, to, (isQuoted ? quoted : path) + space);
}
