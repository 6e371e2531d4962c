import { type Context, type JsonOptions, present, type Presentation } from '../../run.ts';
import { setImmediate as nextEventLoopTurn } from 'node:timers/promises';
import { listEntries, type LibraryEntry } from '../../conversation/library/library.ts';
import {
  compilePattern,
  compileTerms,
  occursIn,
  searchConversation,
  type FoundTurn,
  type SearchPatterns,
} from '../../conversation/library/search.ts';
import { summarize } from '../../conversation/library/read-conversation.ts';
import { Failure } from '../../failure.ts';
import { countOf } from '../../output/figures.ts';
import { foundTurnText, foundTurnRows } from '../../output/found-text.ts';
import { jsonLine } from '../../output/json-answer.ts';
import { createProgress } from '../../output/activity.ts';
import { sanitizeLine } from '../../terminal/safety/sanitizer.ts';
import { dataFolder } from '../journal/library-access.ts';

export interface SearchOptions extends JsonOptions {
  readonly regexp?: boolean;
  readonly caseSensitive?: boolean;
  /** Number of lines, unparsed. */
  readonly context: string;
}

/** Maximum milliseconds without handling signals and other events. */
const maxTurnTime = 40;

function contextLines(text: string): number {
  if (/^\d{1,4}$/.test(text)) return Number(text);
  throw new Failure('usage', `--context must be a number of lines, not "${text}"`);
}

interface Search {
  readonly context: Context;
  readonly presentation: Presentation;
  readonly options: SearchOptions;
  readonly patterns: SearchPatterns;
}

/** One turn as JSON, as lines on a terminal, or as rows in a pipe. */
function foundText(
  { context, presentation, options }: Search,
  id: string,
  found: FoundTurn,
): string {
  if (options.json === true) {
    const { turn, role, hits, lines } = found;
    return jsonLine({ conversation: id, turn, role, hits, lines });
  }
  return context.streams.stdout.isTerminal
    ? foundTurnText(found, presentation.style)
    : foundTurnRows(id, found);
}

async function printFound(search: Search, entry: LibraryEntry, lines: number): Promise<number> {
  const { context, presentation, options, patterns } = search;
  const { stdout } = context.streams;
  let hits = 0;
  const { each, any } = patterns;
  if (each.length > 1 && !each.every((pattern) => occursIn(entry.path, pattern))) return 0;
  for (const found of searchConversation(entry.path, any, lines)) {
    if (hits === 0 && stdout.isTerminal && options.json !== true) {
      const { style } = presentation;
      const title = sanitizeLine(summarize(entry.path).title);
      await stdout.write(`${style.bold(entry.id)}  ${title}\n`);
    }
    hits += found.hits;
    await stdout.write(foundText(search, entry.id, found));
  }
  return hits;
}

async function searchAll(
  search: Search,
  entries: readonly LibraryEntry[],
  lines: number,
): Promise<{ hits: number; conversations: number }> {
  const { context, presentation, options } = search;
  const { stderr } = context.streams;
  const { noticeStyle: style, unicode } = presentation;
  const animated = presentation.animated && options.quiet !== true;
  const label = 'searching';
  const progress = createProgress({
    stderr,
    style,
    clock: context.clock,
    animated,
    unicode,
    label,
  });
  const total = entries.reduce((sum, { size }) => sum + size, 0);
  let [done, hits, conversations, turnStart] = [0, 0, 0, context.clock.monotonic()];
  for (const entry of entries) {
    try {
      const found = await printFound(search, entry, lines);
      hits += found;
      if (found > 0) conversations += 1;
    } catch (error) {
      if (!(error instanceof Failure) || error.kind !== 'storage') throw error;
      presentation.notices.warning(error.message);
    }
    done += entry.size;
    if (context.clock.monotonic() - turnStart < maxTurnTime) continue;
    progress.show(done, total);
    await nextEventLoopTurn();
    context.signal.throwIfAborted();
    turnStart = context.clock.monotonic();
  }
  progress.clear();
  return { hits, conversations };
}

function compile(options: SearchOptions, texts: readonly string[]): SearchPatterns {
  const caseSensitive = options.caseSensitive === true;
  if (options.regexp !== true) return compileTerms(texts, caseSensitive);
  const [text = '', ...others] = texts;
  if (others.length > 0) {
    throw new Failure('usage', '-E takes one regular expression', { hint: 'put it in quotes' });
  }
  const any = compilePattern(text, { regularExpression: true, caseSensitive });
  return { each: [any], any };
}

/**
 * Runs `natter conversations search`: conversations that contain each of the texts.
 * @throws Failure `not_found` if nothing matches
 */
export async function searchConversations(
  context: Context,
  options: SearchOptions,
  texts: readonly string[],
): Promise<void> {
  const presentation = await present(context, options);
  const patterns = compile(options, texts);
  const lines = contextLines(options.context);
  const entries = listEntries(dataFolder(context));
  const search: Search = { context, presentation, options, patterns };
  const { hits, conversations } = await searchAll(search, entries, lines);
  if (hits === 0) {
    const searched = countOf(entries.length, 'conversation');
    const asked = texts.map((text) => `"${text}"`).join(' and ');
    throw new Failure('not_found', `no match for ${asked} in ${searched}`, {
      hint: 'the search is literal; use -E for a regular expression',
    });
  }
  presentation.notices.notice(
    `${countOf(hits, 'hit')} in ${countOf(conversations, 'conversation')}`,
  );
}
