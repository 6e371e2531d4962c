import { createReadStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { setImmediate as nextEventLoopTurn } from 'node:timers/promises';
import { decodeText } from '../../conversation/decode-text.ts';
import { readImport, type ImportEntry } from '../../conversation/import.ts';
import {
  exportAs,
  exportJson,
  exportMarkdown,
  formatOfName,
  type ExportFormat,
} from '../../conversation/export/export.ts';
import {
  addConversation,
  findConversation,
  findOld,
  deleteConversation,
  listEntries,
  listConversations as readList,
  removeForGood,
  renameConversation as changeTitle,
  undeleteConversation,
  type LibraryEntry,
  type ListedConversation,
} from '../../conversation/library/library.ts';
import { summarize } from '../../conversation/library/read-conversation.ts';
import {
  compilePatterns,
  searchConversation,
  type FoundTurn,
  type FoundLine,
} from '../../conversation/library/search.ts';
import { Failure } from '../../failure.ts';
import { count, timeAgo, countOf } from '../../output/figures.ts';
import { jsonLine } from '../../output/json-answer.ts';
import type { Column } from '../../output/table.ts';
import type { Action, JsonOptions, StartedRun } from '../../run.ts';
import { refuseReservedName } from '../../storage/file-name.ts';
import { cannotRead, errorCode, storageFailure } from '../../storage/storage-failure.ts';
import { collectBytes } from '../../input/attach-files.ts';
import { maskText } from '../../secrets/secrets.ts';
import { readSettings, withSettings } from '../../settings/read-settings.ts';
import { parseAge, wholeNumber } from '../../settings/definitions.ts';
import { parseValue } from '../../settings/setting-value.ts';
import { escapeJson, sanitize, sanitizeLine } from '../../terminal/safety/sanitizer.ts';
import { dataFolder, readConversation } from '../../ask/open-conversation.ts';
import { printMarkdown, settingsForStored } from '../../output/answer-printer.ts';
import { printJson, printTable } from '../../output/print-data.ts';
import type { Style } from '../../terminal/style.ts';

const columns: readonly (Column | string)[] = [
  'ID',
  'CHANGED',
  { heading: 'TURNS', align: 'right', isSpare: true },
  { heading: 'TOKENS', align: 'right', isSpare: true },
  { heading: 'MODEL', isSpare: true },
  'TITLE',
];

/** Maximum rows on a terminal without `--all`. */
const shortList = 30;

function cells(row: ListedConversation, isTerminal: boolean, now: Date): readonly string[] {
  const { id, changedAt, tokens, turns, model = '', title, isAnswered } = row;
  const marks = [...row.marks, ...(isAnswered || turns === 0 ? [] : ['no answer'])];
  return [
    id,
    isTerminal ? timeAgo(changedAt, now) : changedAt.toISOString(),
    String(turns),
    tokens === undefined ? '' : isTerminal ? count(tokens) : String(tokens),
    model,
    // Fields of a pipe are data.
    ...(isTerminal
      ? [marks.map((mark) => `(${mark}) `).join('') + title]
      : isAnswered
        ? [title]
        : [title, 'no answer']),
  ];
}

const documentOf = (row: ListedConversation) => ({
  id: row.id,
  title: row.title,
  changed_at: row.changedAt.toISOString(),
  created_at: row.createdAt.toISOString(),
  turns: row.turns,
  tokens: row.tokens ?? null,
  model: row.model ?? null,
  answered: row.isAnswered,
  pinned: row.marks.includes('pinned'),
  bytes: row.size,
});

/** Prints conversations as JSON or rows; nothing instead of an empty table. */
async function printListed(run: StartedRun<JsonOptions>, listed: readonly ListedConversation[]) {
  const { context, options } = run;
  if (options.json === true) return printJson(context, listed.map(documentOf));
  const { isTerminal } = context.streams.stdout;
  const now = context.clock.date();
  const rows = listed.map((row) => cells(row, isTerminal, now));
  if (rows.length > 0) await printTable(run, columns, rows);
}

export const listConversations: Action<
  JsonOptions & { readonly all?: boolean; readonly deleted?: boolean }
> = async (run) => {
  const { context, options, presentation } = run;
  const { notices } = presentation;
  const section = options.deleted === true ? 'trash' : 'conversations';
  const warn = (message: string) => notices.warning(message);
  const listed = await readList(dataFolder(context), section, warn);
  if (listed.length === 0 && options.json !== true) {
    notices.notice(section === 'trash' ? 'the trash is empty' : 'there are no conversations yet');
  }
  const isWhole = !context.streams.stdout.isTerminal || options.all === true || options.json;
  const shown = isWhole ? listed : listed.slice(0, shortList);
  await printListed(run, shown);
  if (shown.length < listed.length) {
    notices.notice(`showing the first ${shortList} of ${listed.length}; --all shows all`);
  }
};

/** `a1b2c3d4 (why the sky is blue)`. */
const describe = ({ id, path }: LibraryEntry) => {
  const { title } = summarize(path);
  return title === '' ? id : `${id} (${title})`;
};

export const renameConversation: Action<JsonOptions, [name: string, title: string]> = async (
  { context, presentation },
  name,
  title,
) => {
  const newTitle = title.replaceAll(/\s+/g, ' ').trim();
  if (newTitle === '') throw new Failure('usage', 'a title needs at least one visible character');
  const entry = findConversation(dataFolder(context), name);
  changeTitle(entry, newTitle);
  presentation.notices.notice(`renamed ${describe(entry)}`);
};

/** Finds all conversations before any is changed. @throws Failure */
const findEach = (folder: string, names: readonly string[], section?: 'trash') => [
  ...new Map(
    names.map((name) => findConversation(folder, name, section)).map((one) => [one.id, one]),
  ).values(),
];

type RunOnNames = Action<JsonOptions, [names: readonly string[]]>;

export const deleteConversations: RunOnNames = async ({ context, presentation }, names) => {
  const folder = dataFolder(context);
  for (const entry of findEach(folder, names)) {
    const text = describe(entry);
    deleteConversation(folder, entry, context);
    const undo = `‹natter conversations undelete ${entry.id}›`;
    presentation.notices.notice(`deleted ${text}; restore it with ${undo}`);
  }
};

export const undeleteConversations: RunOnNames = async ({ context, presentation }, names) => {
  const { notices } = presentation;
  const folder = dataFolder(context);
  const entries =
    names.length === 0 ? listEntries(folder, 'trash') : findEach(folder, names, 'trash');
  if (entries.length === 0) notices.notice('the trash is empty');
  for (const entry of entries) {
    const text = describe(entry);
    undeleteConversation(folder, entry);
    notices.notice(`restored ${text}`);
  }
};

interface PruneOptions extends JsonOptions {
  /** Unparsed. */
  readonly olderThan?: string;
  readonly yes?: boolean;
}

/** Asks whether to delete. @throws Failure `usage` where nobody can be asked */
async function confirmPrune(run: StartedRun<PruneOptions>, number: string, oldest: string) {
  const { context, options, presentation } = run;
  const { stdin, stderr } = context.streams;
  if (!stdin.isTerminal || !stderr.isTerminal || !options.input) {
    const text = `deleting ${number} for good needs --yes here`;
    throw new Failure('usage', text, { hint: 'add --yes, or --dry-run to list them' });
  }
  presentation.notices.warning(`this deletes ${number} for good; ${oldest}`);
  const reply = await context.ask('Delete them? [y/N] ', { signal: context.signal });
  return /^y(?:es)?$/i.test(reply.trim());
}

export const pruneConversations: Action<PruneOptions> = async (run) => {
  const { context, options, presentation } = run;
  const { notices } = presentation;
  const { olderThan = '' } = options;
  const age = parseAge(olderThan);
  if (age === undefined) {
    const given = olderThan === '' ? '' : `, not "${olderThan}"`;
    throw new Failure('usage', `--older-than must be an age such as 90d, 12w or 48h${given}`, {
      hint: '‹natter conversations prune --older-than 90d --dry-run› lists what would be deleted',
    });
  }
  const folder = dataFolder(context);
  const now = context.clock.date();
  const old = findOld(folder, new Date(now.getTime() - age), context);
  const [oldest] = old;
  if (oldest === undefined) {
    await printListed(run, old);
    return notices.notice(
      `no conversation is older than ${olderThan}, without pinned and open ones`,
    );
  }
  const oldestText = `the oldest, ${describe(oldest)}, changed ${timeAgo(oldest.changedAt, now)}`;
  const number = countOf(old.length, 'conversation');
  if (options.dryRun === true) {
    await printListed(run, old);
    return notices.notice(`this would delete ${number} for good; ${oldestText}`);
  }
  if (options.yes !== true && !(await confirmPrune(run, number, oldestText))) {
    return notices.notice('nothing was deleted');
  }
  const deleted = old.filter((entry) => removeForGood(folder, entry, context));
  await printListed(run, deleted);
  notices.notice(`deleted ${countOf(deleted.length, 'conversation')} for good`);
};

/** Bytes; the longest string that Node makes of them. */
const largestImport = 0x1fffffe8;

/** The conversations of a file, or of standard input. @throws Failure `usage` */
async function* importEntries({ context, presentation }: StartedRun, name: string) {
  const { signal, clock } = context;
  const { stdin } = context.streams;
  if (name === '-' && stdin.isTerminal) {
    presentation.notices.notice('reading standard input; press Ctrl+D to end it');
  }
  const source = name === '-' ? 'standard input' : name;
  const tooLarge = () =>
    new Failure('usage', `${source} is larger than 512 MB`, {
      hint: 'import it in parts, such as: jq ".[:500]" conversations.json',
    });
  const stream: AsyncIterable<Uint8Array> =
    name === '-' ? stdin.bytes(signal) : createReadStream(name, { signal });
  const bytes = await collectBytes(stream, largestImport, tooLarge).catch((error: unknown) => {
    signal.throwIfAborted();
    throw error instanceof Failure ? error : cannotRead(source, error);
  });
  const text = decodeText(bytes, { source, lossy: true });
  for (const entry of readImport(text, source, clock.date())) {
    yield entry;
    await nextEventLoopTurn();
    signal.throwIfAborted();
  }
}

const shownProblems = 5;

/** Runs `natter conversations import`. What can be read is imported. @throws Failure for the rest */
export const importConversations: RunOnNames = async (run, names) => {
  const { context, options, presentation } = run;
  const { notices } = presentation;
  const folder = dataFolder(context);
  // Its key is a secret that the conversations may have.
  const { keep } = withSettings(run, readSettings).settings.values;
  const { secrets, version, process, clock } = context;
  const mask = (text: string) => maskText(secrets, text);
  const writing = { version, mask, processId: process.id, now: clock.date() };
  const added: Exclude<ReturnType<typeof addConversation>, string>[] = [];
  let [there, empty] = [0, 0];
  const omitted = new Map<string, number>();
  const problems: Failure[] = [];
  const add = (entry: ImportEntry) => {
    if (entry.problem !== undefined) problems.push(new Failure('usage', entry.problem));
    if (entry.conversation === undefined) return;
    const { origin } = entry;
    const result = addConversation(folder, entry.conversation, { ...writing, origin });
    if (result === 'already there') there += 1;
    if (result === 'without a prompt') empty += 1;
    if (typeof result === 'string') return;
    added.push(result);
    for (const [what, number] of entry.omitted) {
      omitted.set(what, (omitted.get(what) ?? 0) + number);
    }
  };
  for (const name of names) {
    try {
      for await (const entry of importEntries(run, name)) add(entry);
    } catch (error) {
      if (!(error instanceof Failure) || error.kind !== 'usage') throw error;
      problems.push(error);
    }
  }
  if (options.json === true) {
    const rows = added.map(({ id, title, changedAt }) => ({ id, title, changed_at: changedAt }));
    await printJson(context, rows);
  } else if (added.length > 0) {
    const shown = context.streams.stdout.isTerminal ? added.slice(0, shortList) : added;
    const rows = shown.map(({ id, title }) => [id, title]);
    await printTable(run, ['ID', 'TITLE'], rows);
  }
  const counts = [`${countOf(added.length, 'conversation')} imported`];
  if (there > 0) counts.push(`${count(there)} already there`);
  if (empty > 0) counts.push(`${count(empty)} without a prompt left out`);
  const isNothing = added.length + there + empty === 0;
  if (problems.length === 0 || !isNothing) notices.notice(counts.join(', '));
  const parts = Array.from(omitted, ([what, number]) => countOf(number, what));
  if (parts.length > 0) notices.notice(`not in the imported conversations: ${parts.join(', ')}`);
  const kept = parseAge(keep) ?? Infinity;
  const old = added.filter(({ changedAt }) => clock.date().getTime() - changedAt.getTime() > kept);
  if (old.length > 0) {
    const off = '‹natter config set keep forever› keeps them';
    notices.warning(
      `keep is ${keep}: ${count(old.length)} of these will be deleted from tomorrow on; ${off}`,
    );
  }
  const [first] = problems;
  if (first === undefined) return;
  if (problems.length === 1) throw first;
  for (const { message } of problems.slice(0, shownProblems)) notices.warning(message);
  throw new Failure('usage', `${count(problems.length)} parts could not be imported`, {
    hint: 'the warnings above name the first ones; all others are imported',
  });
};

type TextAction = Action<
  JsonOptions & {
    readonly output?: string;
    readonly format?: ExportFormat | 'md';
    readonly siblings?: boolean;
    readonly reasoning?: boolean;
    readonly times?: boolean;
    readonly force?: boolean;
  },
  [name: string]
>;

export const showConversation: TextAction = async ({ context, options, presentation }, name) => {
  const conversation = readConversation(context, presentation.notices, name);
  if (options.json === true) {
    for (const piece of exportJson(conversation, options)) {
      await context.streams.stdout.write(escapeJson(piece));
    }
    return;
  }
  const settings = settingsForStored(context, presentation, options);
  const times = options.times === true || settings?.values.times === 'on';
  const pieces = exportMarkdown(conversation, { ...options, times });
  await printMarkdown(context, presentation, pieces, {}, settings);
};

export const exportConversation: TextAction = async ({ context, options, presentation }, name) => {
  const { output, format: given } = options;
  const named = given ?? (output === undefined ? 'markdown' : formatOfName(output));
  if (named === undefined) {
    throw new Failure('usage', `cannot infer the format from the name ${output}`, {
      hint: 'use the extension .md, .json or .html, or add --format',
    });
  }
  const conversation = readConversation(context, presentation.notices, name);
  const pieces = await exportAs(conversation, named === 'md' ? 'markdown' : named, options);
  if (output === undefined || output === '-') {
    const { stdout } = context.streams;
    for (const text of pieces) await stdout.write(stdout.isTerminal ? sanitize(text) : text);
    return;
  }
  refuseReservedName(output, context.platform);
  try {
    await writeFile(output, pieces, { flag: options.force === true ? 'w' : 'wx', mode: 0o600 });
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw storageFailure('write', output, error);
    throw new Failure('usage', `${output} exists`, { hint: '--force replaces it' });
  }
  presentation.notices.notice(`wrote ${output}`);
};

interface SearchOptions extends JsonOptions {
  readonly regexp?: boolean;
  readonly caseSensitive?: boolean;
  /** Number of lines, unparsed. */
  readonly context: string;
}

/**
 * Runs `natter conversations search`: prints the hits in conversations that contain each of the texts, as JSON, as lines,
 * or as rows in a pipe.
 * @throws Failure `not_found` if nothing matches
 */
export const searchConversations: Action<SearchOptions, [texts: readonly string[]]> = async (
  run,
  texts,
) => {
  const { context, options, presentation } = run;
  if (options.regexp === true && texts.length > 1) {
    throw new Failure('usage', '-E takes one regular expression', { hint: 'put it in quotes' });
  }
  const patterns = compilePatterns(texts, {
    regularExpression: options.regexp === true,
    caseSensitive: options.caseSensitive === true,
  });
  const origin = { label: '--context', kind: 'usage' } as const;
  const lines = parseValue(wholeNumber(0, 9999), options.context, origin);
  const entries = listEntries(dataFolder(context));
  let [hits, conversations] = [0, 0];
  const { stdout } = context.streams;
  const { notices, style } = presentation;
  for (const { id, path } of entries) {
    let own = 0;
    try {
      for (const found of searchConversation(path, patterns, lines)) {
        let text = foundTurnRows(id, found);
        if (options.json === true) {
          const { turn, role, hits: number, lines: shown } = found;
          text = jsonLine({ conversation: id, turn, role, hits: number, lines: shown });
        } else if (stdout.isTerminal) {
          const title = `${style.bold(id)}  ${sanitizeLine(summarize(path).title)}\n`;
          text = (own === 0 ? title : '') + foundTurnText(found, style);
        }
        own += found.hits;
        await stdout.write(text);
      }
    } catch (error) {
      if (!(error instanceof Failure) || error.kind !== 'storage') throw error;
      notices.warning(error.message);
    }
    hits += own;
    if (own > 0) conversations += 1;
    await nextEventLoopTurn();
    context.signal.throwIfAborted();
  }
  if (hits === 0) {
    const searched = countOf(entries.length, 'conversation');
    const asked = texts.map((text) => `"${text}"`).join(' and ');
    throw new Failure('not_found', `no match for ${asked} in ${searched}`, {
      hint: 'the search is literal; use -E for a regular expression',
    });
  }
  notices.notice(`${countOf(hits, 'hit')} in ${countOf(conversations, 'conversation')}`);
};

/** UTF-16 units shown around the first hit in a long line. */
const around = 120;

function marked({ text, marks }: FoundLine, style: Style): string {
  const isLong = text.length > 4 * around;
  const first = marks[0]?.[0] ?? 0;
  let at = isLong ? Math.max(0, first - around) : 0;
  const last = isLong ? first + 2 * around : text.length;
  let shown = '';
  for (const [start, end] of marks.filter(([from]) => from < last)) {
    const hit = sanitizeLine(text.slice(start, Math.min(end, last)));
    shown += sanitizeLine(text.slice(at, start)) + style.bold(style.red(hit));
    at = end;
  }
  return shown + sanitizeLine(text.slice(at, last));
}

/** Lines of a turn for a terminal, with their numbers and the hits marked; gaps between them as `…`. */
function foundTurnText({ role, lines }: FoundTurn, style: Style): string {
  const width = String(lines.at(-1)?.number ?? 0).length;
  const shown = lines.map((line, index) => {
    const before = lines[index - 1]?.number ?? line.number;
    const gap = line.number > before + 1 ? `  ${style.dim('…')}\n` : '';
    return `${gap}  ${style.dim(String(line.number).padStart(width))}  ${marked(line, style)}\n`;
  });
  const speaker = role === 'user' ? 'you' : role === 'assistant' ? 'answer' : role;
  return `  ${style.dim(speaker)}\n${shown.join('')}\n`;
}

/** Lines of a turn for a pipe, tab-separated: conversation, turn, role, line number, `hit` or `context`, text. */
function foundTurnRows(id: string, { turn, role, lines }: FoundTurn): string {
  return lines
    .map(({ number, text, marks }) => {
      const kind = marks.length > 0 ? 'hit' : 'context';
      return `${[id, turn, role, number, kind, sanitizeLine(text)].join('\t')}\n`;
    })
    .join('');
}
