// Reads what natter and other programs export. Every field may have any value.
import { createHash } from 'node:crypto';
import { Failure } from '../failure.ts';
import {
  filledText,
  isJsonObject,
  isTooDeep,
  jsonProblem,
  locatedProblem,
  parseAnyJson,
  type JsonObject,
} from '../json.ts';
import { unreadLines } from '../storage/read-lines.ts';
import { composePrompt } from './compose-prompt.ts';
import { JournalFold, journalVersion, parseLine } from './journal/records.ts';
import { newId, randomFrom } from './library/conversation-folder.ts';
import { titleFrom, type AnswerEnd, type Conversation, type Role, type Turn } from './tree.ts';

/** What was read of a file. */
export interface ImportEntry {
  /** The place and what is wrong with it. */
  readonly problem?: string | undefined;
  /** Names the conversation, the same each time it is read. */
  readonly origin: string;
  /** What of it could be read. Its id is unchecked, and empty if it is not from natter. */
  readonly conversation?: Conversation;
  /** What is not in it, such as an `attachment`, with its number. */
  readonly omitted: ReadonlyMap<string, number>;
}

type Omit = (what: 'attachment' | 'thought' | 'tool message' | 'hidden message') => void;

const fieldsOf = (value: unknown): JsonObject => (isJsonObject(value) ? value : {});
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const textIn = (value: unknown) => (typeof value === 'string' ? value : '');
const hashOf = (value: unknown) => createHash('sha256').update(JSON.stringify(value)).digest('hex');

/** A time as text, in UTC if it has no zone, or in seconds; undefined for any other value, and for the future. */
function timeOf(value: unknown, now: Date): Date | undefined {
  const text = textIn(value);
  const zoned = /T[\d:.]+$/.test(text) ? `${text}Z` : text;
  const time = new Date(typeof value === 'number' ? value * 1000 : zoned);
  return time.getTime() > 0 && time <= now ? time : undefined;
}

/** A message of a different program. */
interface Message {
  readonly id: string;
  /** What it follows; undefined, or the id of no message, for a first one. */
  readonly parent: string | undefined;
  /** Undefined for a message that is no turn: what follows it follows its parent. */
  readonly role: Role | undefined;
  readonly content: string;
  readonly createdAt: Date | undefined;
  readonly end?: AnswerEnd | undefined;
}

interface Foreign {
  readonly origin: string;
  readonly title: unknown;
  readonly createdAt: Date | undefined;
  readonly messages: readonly Message[];
  /** The id of the last selected message. */
  readonly leaf: string | undefined;
}

/** Makes the turns, parents first. A message that follows itself starts the conversation again. */
function conversationOf({ origin, title, messages, leaf }: Foreign, createdAt: Date): Conversation {
  const random = randomFrom(`turns of ${origin}`);
  const time = (message: Message) => message.createdAt?.getTime() ?? 0;
  const sorted = [...messages].sort((one, other) => time(one) - time(other));
  const byId = new Map(sorted.map((message) => [message.id, message]));
  const turns = new Map<string, Turn>();
  const selection = new Map<string | undefined, string>();
  /** The last turn down to each message; undefined if there is none. */
  const lastTurns = new Map<string, string | undefined>();
  for (const first of sorted) {
    const unread = new Set<Message>();
    let at: Message | undefined = first;
    while (at !== undefined && !lastTurns.has(at.id) && !unread.has(at)) {
      unread.add(at);
      at = byId.get(at.parent ?? '');
    }
    let parent = at && lastTurns.get(at.id);
    for (const message of [...unread].toReversed()) {
      const { role, content, createdAt: made = createdAt, end } = message;
      if (role !== undefined && content.trim() !== '') {
        const id = newId(random, 6, (taken) => turns.has(taken));
        turns.set(id, { id, parent, role, content, createdAt: made, ...end });
        selection.set(parent, id);
        parent = id;
      }
      lastTurns.set(message.id, parent);
    }
  }
  const last = leaf === undefined ? undefined : turns.get(lastTurns.get(leaf) ?? '');
  if (last !== undefined) selection.delete(last.id);
  for (let turn = last; turn !== undefined; turn = turns.get(turn.parent ?? '')) {
    selection.set(turn.parent, turn.id);
  }
  return { id: '', createdAt, title: titleFrom(textIn(title)) || undefined, turns, selection };
}

/** A part of a message as text: what natter cannot keep becomes its kind in brackets. */
function partText(part: unknown, omit: Omit): string {
  if (typeof part === 'string') return part;
  const { content_type: contentType, type = contentType, text } = fieldsOf(part);
  if (typeof text === 'string') return text;
  const kind = textIn(type);
  if (kind === 'thinking') omit('thought');
  else if (kind.startsWith('tool')) omit('tool message');
  else {
    omit('attachment');
    return `[${/image|audio|video/.exec(kind)?.[0] ?? 'attachment'}]`;
  }
  return '';
}

/** The kind of a part whose text natter does not keep. */
const kindText = (part: unknown, omit: Omit) => partText({ ...fieldsOf(part), text: 0 }, omit);

const joined = (parts: readonly string[]) => parts.filter((text) => text !== '').join('\n\n');

const roles: ReadonlyMap<unknown, Role> = new Map([
  ['user', 'user'],
  ['human', 'user'],
  ['assistant', 'assistant'],
  ['system', 'system'],
]);

/** A conversation of ChatGPT, whose messages are a tree. */
function chatGpt(entry: JsonObject, now: Date, omit: Omit): Foreign {
  const { conversation_id: named, id = named, title, mapping, current_node: leaf } = entry;
  const messages = Object.entries(fieldsOf(mapping)).map(([name, node]): Message => {
    const { message, parent } = fieldsOf(node);
    const { author, content, create_time: time, metadata, recipient = 'all' } = fieldsOf(message);
    const { content_type: type, parts, text } = fieldsOf(content);
    const { is_visually_hidden_from_conversation: isHidden, model_slug: model } =
      fieldsOf(metadata);
    const { role } = fieldsOf(author);
    const isTool = role === 'tool' || (role === 'assistant' && recipient !== 'all');
    const isThought = type === 'thoughts' || type === 'reasoning_recap';
    const isText = ['text', 'multimodal_text', 'code', undefined].includes(type as string);
    const isTurn = !isTool && !isThought && isText && isHidden !== true;
    const read = isTurn ? listOf(parts).map((part) => partText(part, omit)) : [];
    if (isTool) omit('tool message');
    else if (isThought) omit('thought');
    else if (!isText) omit('hidden message');
    return {
      id: name,
      parent: filledText(parent),
      role: isTurn ? roles.get(role) : undefined,
      content: joined([...read, isTurn ? textIn(text) : '']),
      createdAt: timeOf(time, now),
      end: role === 'assistant' ? { model: filledText(model) } : undefined,
    };
  });
  return {
    origin: `chatgpt ${filledText(id) ?? hashOf(entry)}`,
    title,
    createdAt: timeOf(entry['create_time'], now),
    messages,
    leaf: filledText(leaf),
  };
}

function claude(entry: JsonObject, now: Date, omit: Omit): Foreign {
  const { uuid, name, created_at: time, model, current_leaf_message_uuid: leaf } = entry;
  const messages: Message[] = [];
  for (const [index, value] of listOf(entry['chat_messages']).entries()) {
    const message = fieldsOf(value);
    const parts = listOf(message['content']).map((part) => partText(part, omit));
    const files = listOf(message['attachments']).map((file) => {
      const { file_name: fileName, extracted_content: content } = fieldsOf(file);
      return { name: filledText(fileName) ?? 'attachment', content: textIn(content) };
    });
    const others = listOf(message['files']).map((file) => kindText(file, omit));
    const prompt = joined([joined(parts) || textIn(message['text']), ...others]);
    const role = roles.get(message['sender']);
    const named = filledText(message['model']) ?? filledText(model);
    messages.push({
      id: filledText(message['uuid']) ?? String(index),
      parent: filledText(message['parent_message_uuid']) ?? messages.at(-1)?.id,
      role,
      content: composePrompt({ prompt, files: files.filter(({ content }) => content !== '') }),
      createdAt: timeOf(message['created_at'], now),
      end: role === 'assistant' ? { model: named } : undefined,
    });
  }
  return {
    origin: `claude ${filledText(uuid) ?? hashOf(entry)}`,
    title: name,
    createdAt: timeOf(time, now),
    messages,
    leaf: filledText(leaf) ?? messages.at(-1)?.id,
  };
}

/** The prompts and answers of one conversation of `llm`. */
function llm(id: string, rows: readonly JsonObject[], now: Date, omit: Omit): Foreign {
  const messages: Message[] = [];
  const dated = rows.map((row) => ({ row, createdAt: timeOf(row['datetime_utc'], now) }));
  dated.sort((one, other) => Number(one.createdAt ?? 0) - Number(other.createdAt ?? 0));
  let lastSystem = '';
  for (const { row, createdAt } of dated) {
    const add = (role: Role, content: string, end: AnswerEnd = {}) => {
      const parent = messages.at(-1)?.id;
      messages.push({ id: String(messages.length), parent, role, content, createdAt, end });
    };
    const { input_tokens: prompt, output_tokens: completion, duration_ms: total } = row;
    const system = textIn(row['system']);
    if (system !== lastSystem) add('system', system);
    lastSystem = system;
    const others = ['prompt_fragments', 'system_fragments', 'attachments']
      .flatMap((name) => listOf(row[name]))
      .map((part) => kindText(part, omit));
    for (const name of ['tool_calls', 'tool_results']) {
      for (const _one of listOf(row[name])) omit('tool message');
    }
    add('user', joined([textIn(row['prompt']), ...others]));
    const counts = { prompt_tokens: Number(prompt), completion_tokens: Number(completion) };
    const tokens = counts.prompt_tokens + counts.completion_tokens;
    const hasCounts = typeof prompt === 'number' && typeof completion === 'number';
    add('assistant', textIn(row['response']), {
      model: filledText(row['model']),
      usage: hasCounts ? { ...counts, total_tokens: tokens } : undefined,
      timing: typeof total === 'number' ? { total } : undefined,
    });
  }
  const title = rows[0]?.['conversation_name'];
  const [first] = dated;
  return { origin: `llm ${id}`, title, createdAt: first?.createdAt, messages, leaf: undefined };
}

/** The lines of a journal with what `natter conversations export --format json` wrote. */
function linesOfExport(entry: JsonObject): readonly unknown[] {
  const turns = listOf(entry['turns']).map(fieldsOf);
  const selected = listOf(entry['selected']);
  const prompt = turns.find(({ role }) => role === 'user')?.['content'];
  const { id, title, created_at } = entry;
  return [
    { type: 'conversation', id: textIn(id), created_at },
    ...turns.flatMap((turn) => [
      { ...turn, type: 'turn' },
      { type: 'refusal', turn: turn['id'], text: turn['refusal'] },
      ...(turn['role'] === 'assistant' ? [{ ...turn, type: 'end', turn: turn['id'] }] : []),
    ]),
    ...listOf(entry['summaries']).map((summary) => {
      const fields = fieldsOf(summary);
      return { ...fields, type: 'summary', after: fields['turn'] };
    }),
    ...selected.map((turn) => ({ type: 'choice', turn })),
    { type: 'choice', turn: '', parent: selected.at(-1) },
    ...(title === titleFrom(textIn(prompt)) ? [] : [{ type: 'title', title }]),
  ];
}

/** A conversation of natter. @param lines of its journal @param place in messages */
function own(lines: readonly string[], place: string, isExport: boolean): ImportEntry {
  const parsed = lines.map(parseLine);
  const {
    id,
    created_at: time,
    version,
  } = fieldsOf(parsed.find(({ record }) => record?.type === 'conversation')?.record);
  const origin = `natter ${textIn(id)} ${textIn(time) || hashOf(lines)}`;
  if (typeof version === 'number' && version > journalVersion) {
    return { problem: `${place} was written by a newer natter`, origin, omitted: new Map() };
  }
  const fold = new JournalFold(textIn(id));
  for (const { record } of parsed) if (record !== undefined) fold.apply(record);
  const lost = parsed.flatMap(({ isLost }, index) => (isLost ? [index + 1] : []));
  const unread = unreadLines(place, lost, 'the rest is imported');
  const problem = isExport || lost.length === 0 ? undefined : unread;
  return { problem, origin, conversation: fold.conversation(), omitted: new Map() };
}

const known =
  'natter imports its own exports as JSON and its journals, conversations.json of ChatGPT and Claude, and the output of llm logs --json';

const refused = (source: string, problem: string, hint = known) =>
  new Failure('usage', `${source} ${problem}`, { hint });

/**
 * Reads the conversations in a text.
 * @param source its name in messages @param now later times are not believed
 * @throws Failure `usage` for a text that is not an export
 */
export function* readImport(text: string, source: string, now: Date): Generator<ImportEntry, void> {
  if (text.startsWith('PK\u0003\u0004')) {
    throw refused(source, 'is a zip file', 'unzip it, and import its conversations.json');
  }
  const value = parseAnyJson(text);
  const [line = ''] = text.trimStart().split('\n', 1);
  const isJournal = value === undefined || fieldsOf(value)['type'] === 'conversation';
  if (isJournal && parseLine(line).record !== undefined) {
    yield own(text.split('\n'), source, false);
    return;
  }
  if (value === undefined) throw refused(source, locatedProblem(text));
  if (isTooDeep(text)) throw refused(source, jsonProblem(text));
  const foreign = (read: (omit: Omit) => Foreign): ImportEntry => {
    const omitted = new Map<string, number>();
    const found = read((what) => omitted.set(what, (omitted.get(what) ?? 0) + 1));
    const dated = found.messages.find(({ createdAt }) => createdAt !== undefined);
    const conversation = conversationOf(found, found.createdAt ?? dated?.createdAt ?? now);
    return { origin: found.origin, conversation, omitted };
  };
  const entries = Array.isArray(value) ? (value as readonly unknown[]) : [value];
  const rows = new Map<string, JsonObject[]>();
  for (const [index, item] of entries.entries()) {
    const place = `entry ${index + 1} of ${source}`;
    const entry = fieldsOf(item);
    if (isJsonObject(entry['mapping'])) yield foreign((omit) => chatGpt(entry, now, omit));
    else if (Array.isArray(entry['chat_messages'])) {
      yield foreign((omit) => claude(entry, now, omit));
    } else if (Array.isArray(entry['turns'])) {
      const lines = linesOfExport(entry).map((record) => JSON.stringify(record));
      yield own(lines, place, true);
    } else if ('prompt' in entry && 'response' in entry) {
      const { conversation_id: conversation, id } = entry;
      const key = filledText(conversation) ?? filledText(id) ?? hashOf(entry);
      const group = rows.get(key);
      if (group === undefined) rows.set(key, [entry]);
      else group.push(entry);
    } else if (entries.length === 1) {
      throw refused(source, 'is not an export that natter knows');
    } else {
      yield { problem: `${place} is not a conversation`, origin: '', omitted: new Map() };
    }
  }
  for (const [id, group] of rows) yield foreign((omit) => llm(id, group, now, omit));
}
