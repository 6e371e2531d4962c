import { Failure } from '../../failure.ts';
import { splitPrompt } from '../compose-prompt.ts';
import type { Role } from '../tree.ts';
import { loadConversation } from './read-conversation.ts';

/** `marks` are the hits in the line, as UTF-16 offsets. */
export interface FoundLine {
  /** Counts from 1. */
  readonly number: number;
  readonly text: string;
  readonly marks: readonly Mark[];
}

/** The lines of one turn with hits, and the lines around them. */
export interface FoundTurn {
  readonly turn: string;
  /** `summary`: of the conversation up to the turn. */
  readonly role: Role | 'summary';
  readonly hits: number;
  readonly lines: readonly FoundLine[];
}

/** @throws Failure `usage` for an invalid regular expression or an empty pattern */
export function compilePattern(
  text: string,
  options: { readonly regularExpression: boolean; readonly caseSensitive: boolean },
): RegExp {
  if (text === '') throw new Failure('usage', 'the search text is empty');
  const source = options.regularExpression
    ? text
    : text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
  try {
    return new RegExp(source, options.caseSensitive ? 'gmu' : 'gimu');
  } catch (error) {
    throw new Failure('usage', `"${text}" is not a regular expression`, {
      hint: error instanceof Error ? error.message : 'omit --regexp to search for it literally',
      cause: error,
    });
  }
}

/** The terms of a search: a conversation must contain each; `any` finds one of them. */
export interface SearchPatterns {
  readonly each: readonly RegExp[];
  readonly any: RegExp;
}

/** Literal terms; case is ignored, except with `caseSensitive`. @throws Failure `usage` for an empty term */
export function compileTerms(terms: readonly string[], caseSensitive = false): SearchPatterns {
  const options = { regularExpression: false, caseSensitive };
  const each = terms.map((term) => compilePattern(term, options));
  const [only] = each;
  if (only !== undefined && each.length === 1) return { each, any: only };
  // The longest first: `tea` would hide `teapot`.
  const sources = each.map(({ source }) => source).toSorted((a, b) => b.length - a.length);
  return { each, any: compilePattern(sources.join('|'), { ...options, regularExpression: true }) };
}

type Mark = readonly [start: number, end: number];

const findMarks = (text: string, pattern: RegExp): readonly Mark[] =>
  Array.from(text.matchAll(pattern), ({ 0: found, index }) => {
    return [index, index + found.length] as const;
  }).filter(([start, end]) => end > start);

/** The lines with a hit, and `context` lines around each. */
function excerpt(text: string, marks: readonly Mark[], context: number): readonly FoundLine[] {
  let start = 0;
  let next = 0;
  const all = text.split('\n').map((line, index): FoundLine => {
    const end = start + line.length;
    const within: Mark[] = [];
    for (; next < marks.length; next += 1) {
      const [from, to] = marks[next] ?? [Infinity, Infinity];
      if (from > end) break;
      within.push([Math.max(from, start) - start, Math.min(to, end) - start]);
      // It continues in the next line.
      if (to > end + 1) break;
    }
    start = end + 1;
    return { number: index + 1, text: line, marks: within };
  });
  const near = (index: number) =>
    all
      .slice(Math.max(0, index - context), index + context + 1)
      .some((line) => line.marks.length > 0);
  return all.filter((_line, index) => near(index));
}

/**
 * Searches one conversation, in all versions of its turns. Nothing is found unless each term occurs. Turns with hits
 * only in attached files come last.
 * @throws Failure `storage` if the file cannot be read
 */
export function searchConversation(
  path: string,
  { each, any }: SearchPatterns,
  context: number,
): readonly FoundTurn[] {
  const { turns, summaries } = loadConversation(path, '').fold.conversation();
  const texts = Array.from(turns.values()).flatMap(({ id, role, content, refusal }) => [
    { turn: id, role, text: content },
    { turn: id, role, text: refusal ?? '' },
    { turn: id, role: 'summary' as const, text: summaries?.get(id)?.content ?? '' },
  ]);
  const occurs = (term: RegExp) => texts.some(({ text }) => text.search(term) !== -1);
  if (!each.every(occurs)) return [];
  const inTexts: FoundTurn[] = [];
  const inFiles: FoundTurn[] = [];
  for (const { turn, role, text } of texts) {
    const marks = findMarks(text, any);
    const [first] = marks;
    if (first === undefined) continue;
    // The files follow the text of a prompt.
    const isInFile = role === 'user' && first[0] >= splitPrompt(text).prompt.length;
    const lines = excerpt(text, marks, context);
    (isInFile ? inFiles : inTexts).push({ turn, role, hits: marks.length, lines });
  }
  return [...inTexts, ...inFiles];
}

/** The words of a search, each of which must occur, and its phrases in double quotes. An open quote ends with the text. */
export function searchTerms(query: string): readonly string[] {
  return [...query.matchAll(/"([^"]*)(?:"|$)|[^\s"]+/g)]
    .map(([word, phrase]) => (phrase ?? word).trim())
    .filter((term) => term !== '');
}
