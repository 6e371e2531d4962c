// The history that a prompt continues: the messages of `--messages` and `-M`.
import type { Message } from '../client/contract.ts';
import { exclusive, Failure } from '../failure.ts';
import { filledText, isJsonObject, lineProblem, locatedProblem, parseJson } from '../json.ts';
import type { Run } from '../run.ts';
import { withValues } from '../settings/resolved-settings.ts';
import { readTextFile } from './load-prompt-file.ts';
import { inputWord, type PromptOptions, readInput } from './read-prompt.ts';
import type { SecretGuard } from './secret-guard.ts';

/** A message with its place, such as `messages.jsonl: message 3 (line 4)`. */
type PlacedMessage = ReturnType<typeof placed>;

/** Prompts and answers before a prompt. */
export type History = Awaited<ReturnType<typeof readHistory>>;

const known = 'natter sends system, user and assistant';

const refuse = (name: string, problem: string, hint?: string): never => {
  throw new Failure('usage', `${name} ${problem}`, { hint });
};

const shown = (value: unknown) => JSON.stringify(value)?.slice(0, 60);

function placed(name: string, role: unknown, content: string) {
  const isKnown = role === 'system' || role === 'user' || role === 'assistant';
  if (!isKnown) return refuse(name, `has the role ${shown(role)}; ${known}`);
  if (content.trim() === '') return refuse(name, 'has no text');
  return { name, role, content } as const;
}

function textOf(name: string, content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return refuse(name, 'has content that is not text');
  const texts = content.map((part: unknown) => {
    const { type, text } = isJsonObject(part) ? part : {};
    if (type === 'text' && typeof text === 'string') return text;
    return refuse(name, `has a part of the type ${shown(type)}; natter sends text`);
  });
  return texts.join('\n');
}

function readMessage(name: string, value: unknown): PlacedMessage {
  if (!isJsonObject(value)) return refuse(name, 'is not an object with role and content');
  if (filledText(value['role']) === undefined) return refuse(name, 'has no role');
  return placed(name, value['role'], textOf(name, value['content']));
}

/**
 * Reads messages: a JSON list of `{role, content}`, an object with that as `messages`, or one message a line.
 * @param source its name in messages
 * @throws Failure `usage` with the number of a message that cannot be sent, and its line if it has one
 */
export function parseMessages(text: string, source: string): readonly PlacedMessage[] {
  const whole = parseJson(text);
  const found = isJsonObject(whole) ? (whole['messages'] ?? [whole]) : whole;
  if (Array.isArray(found)) {
    if (found.length === 0) refuse(source, 'has no message');
    return found.map((value, at) => readMessage(`${source}: message ${at + 1}`, value));
  }
  const lines = [...text.split('\n').entries()].filter(([, line]) => line.trim() !== '');
  if (whole !== undefined || parseJson(lines[0]?.[1] ?? '') === undefined) {
    const problem = whole === undefined ? locatedProblem(text) : 'is not a list of messages';
    return refuse(
      source,
      problem,
      'write [{"role": "user", "content": "…"}], or one message a line',
    );
  }
  return lines.map(([number, line], at) => {
    const value = parseJson(line);
    if (value === undefined) refuse(`${source}: line ${number + 1}`, lineProblem(line));
    return readMessage(`${source}: message ${at + 1} (line ${number + 1})`, value);
  });
}

/** Reads the values of `-M`. @throws Failure `usage` */
export function parseTyped(values: readonly string[]): readonly PlacedMessage[] {
  return values.map((value, at) => {
    const [, role, content = ''] = /^(\w+):(.*)$/s.exec(value) ?? [];
    const name = `-M: message ${at + 1}`;
    if (role === undefined) refuse(name, 'has no role', 'for example: -M "user:hello"');
    return placed(name, role, content);
  });
}

/** The roles that a message may have after one with this role. */
const following = { system: 'user', user: 'assistant', assistant: 'user' } as const;

/** @throws Failure `usage` unless prompts and answers follow each other, after one system message at most */
function checkOrder(all: readonly PlacedMessage[]): void {
  for (const [at, { name, role }] of all.entries()) {
    const before = all[at - 1]?.role;
    if (before === undefined ? role !== 'assistant' : following[before] === role) continue;
    const place = before === undefined ? 'is the first one' : `follows one of the role "${before}"`;
    const order = 'a system message may come first; then user and assistant take turns';
    refuse(name, `has the role "${role}" and ${place}`, order);
  }
}

async function readFile(run: Run<PromptOptions>, file: string): Promise<readonly PlacedMessage[]> {
  if (file !== inputWord) {
    return parseMessages(await readTextFile({ name: file, path: file }, run.context.signal), file);
  }
  const reading = { ...run, options: { ...run.options, messages: undefined } };
  const text = await readInput(reading, { required: true, hasPrompt: false });
  return parseMessages(text ?? '', 'standard input');
}

/**
 * Reads the messages of `--messages`, and those of `-M` after them.
 * @param hasPrompt a prompt follows; without one, the last message may be the prompt
 * @param guard checks the messages of a file; undefined if nothing is checked
 * @throws Failure `usage` with the place of a message that cannot be sent
 */
export async function readHistory(
  run: Run<PromptOptions>,
  hasPrompt: boolean,
  guard?: SecretGuard,
) {
  const { settings } = run;
  const { messages: file, M: typed = [] } = run.options;
  const read = file === undefined ? [] : await readFile(run, file);
  const inspected = (await guard?.inspect(read)) ?? [];
  const texts = read.map((one, at) => ({ ...one, content: inspected[at]?.content ?? one.content }));
  const all = [...texts, ...parseTyped(typed)];
  checkOrder(all);
  const last = all.at(-1);
  if (last?.role === 'user' && hasPrompt) {
    refuse(
      last.name,
      'has the role "user", and the prompt follows it',
      'end with an answer, or omit the prompt',
    );
  }
  const system = all[0]?.role === 'system' ? all[0].content : undefined;
  const turns = all.slice(system === undefined ? 0 : 1, last?.role === 'user' ? -1 : undefined);
  const prompt = last?.role === 'user' ? last.content : undefined;
  const { kind, name: option } = settings.sources.system;
  if (system !== undefined && kind === 'flag') throw exclusive(option, 'a system message');
  const source = { kind: 'flag', name: '--messages' } as const;
  return {
    settings: system === undefined ? settings : withValues(settings, { system }, source),
    /** A prompt and its answer alternately. */
    messages: turns.map(({ role, content }): Message => ({ role, content })),
    /** The last message, if it is a prompt. */
    prompt,
    /** What was in a file, for a guard. */
    texts,
  };
}
