import { Failure } from '../../failure.ts';
import { readLines } from '../../storage/read-lines.ts';
import { parseLine, type JournalRecord } from '../journal/records.ts';
import type { Role } from '../tree.ts';

/** A line of a turn's text; `marks` are where the hits are in it, UTF-16 offsets from start to end. */
export interface FoundLine {
  /** From 1. */
  readonly number: number;
  readonly text: string;
  readonly marks: readonly (readonly [start: number, end: number])[];
}

/** The lines of one turn that hold hits, with their context. */
export interface FoundTurn {
  readonly turn: string;
  readonly role: Role;
  readonly hits: number;
  readonly lines: readonly FoundLine[];
}

export interface PatternOptions {
  readonly regularExpression: boolean;
  readonly caseSensitive: boolean;
}

/** @throws Failure `usage` for a regular expression that is none, or a pattern that fits everything */
export function compilePattern(text: string, options: PatternOptions): RegExp {
  if (text === '') throw new Failure('usage', 'there is nothing to search for');
  const source = options.regularExpression
    ? text
    : text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
  try {
    return new RegExp(source, options.caseSensitive ? 'gmu' : 'gimu');
  } catch (error) {
    throw new Failure('usage', `"${text}" is no regular expression`, {
      hint: error instanceof Error ? error.message : 'leave --regexp out to search for it as it is',
      cause: error,
    });
  }
}

function* lineStarts(text: string): Generator<number, void> {
  yield 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) yield at + 1;
}

interface Mark {
  readonly start: number;
  readonly end: number;
}

function findMarks(text: string, pattern: RegExp): readonly Mark[] {
  const marks: Mark[] = [];
  pattern.lastIndex = 0;
  for (let found = pattern.exec(text); found !== null; found = pattern.exec(text)) {
    if (found[0] === '') pattern.lastIndex += 1;
    else marks.push({ start: found.index, end: found.index + found[0].length });
  }
  return marks;
}

/** The lines with a hit, and `context` lines around each. */
function excerpt(text: string, marks: readonly Mark[], context: number): readonly FoundLine[] {
  const starts = [...lineStarts(text)];
  let next = 0;
  const all = starts.map((start, index): FoundLine => {
    const end = (starts[index + 1] ?? text.length + 1) - 1;
    const within: [number, number][] = [];
    for (; next < marks.length; next += 1) {
      const mark = marks[next];
      if (mark === undefined || mark.start > end) break;
      within.push([Math.max(mark.start, start) - start, Math.min(mark.end, end) - start]);
      // It goes on in the next line.
      if (mark.end > end + 1) break;
    }
    return { number: index + 1, text: text.slice(start, end), marks: within };
  });
  const near = (index: number) =>
    all
      .slice(Math.max(0, index - context), index + context + 1)
      .some((line) => line.marks.length > 0);
  return all.filter((_line, index) => near(index));
}

/** What a turn says, as far as it was read. */
interface Said {
  readonly turn: string;
  readonly role: Role;
  readonly parts: string[];
}

/** Turns whose records still come: one, or the answers of a comparison, which come at the same time. */
function createOpenTurns() {
  const open = new Map<string, Said>();
  return {
    add(type: 'text' | 'refusal', turn: string, text: string, role: Role = 'assistant'): void {
      const key = `${type} ${turn}`;
      const said = open.get(key) ?? { turn, role, parts: [] };
      said.parts.push(text);
      open.set(key, said);
    },
    /** Whether an answer may begin while these go on. */
    areAnswers: () => [...open.values()].every(({ role }) => role === 'assistant'),
    /** Those that are over: the turn's, or all. */
    take(turn?: string) {
      const over = [...open].filter(([, said]) => turn === undefined || said.turn === turn);
      for (const [key] of over) open.delete(key);
      return over.map(([, said]) => ({ ...said, text: said.parts.join('') }));
    },
  };
}

/** Texts of a conversation's turns, one whole turn at a time, so that a hit may lie across records. */
function* turnTexts(path: string): Generator<{ turn: string; role: Role; text: string }, void> {
  const open = createOpenTurns();
  for (const lines of readLines(path)) {
    for (const line of lines) {
      const record: JournalRecord | undefined = parseLine(line).record;
      if (record?.type === 'turn') {
        const { id, role, content } = record;
        if (role !== 'assistant' || !open.areAnswers()) yield* open.take();
        open.add('text', id, content, role);
      } else if (record?.type === 'text' || record?.type === 'refusal') {
        open.add(record.type, record.turn, record.text);
      } else if (record?.type === 'end') yield* open.take(record.turn);
    }
  }
  yield* open.take();
}

/**
 * Searches one conversation, in all versions of its turns. Memory is bounded by its longest turn, or comparison.
 * @throws the system's error when the file cannot be read
 */
export function* searchConversation(
  path: string,
  pattern: RegExp,
  context: number,
): Generator<FoundTurn, void> {
  for (const { turn, role, text } of turnTexts(path)) {
    const marks = findMarks(text, pattern);
    if (marks.length > 0) {
      yield { turn, role, hits: marks.length, lines: excerpt(text, marks, context) };
    }
  }
}
