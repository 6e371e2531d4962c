import type { Fault } from '../faults/fault-fields.ts';
import { type Completion, type DeltaGroups, finishReasonOf } from './completion.ts';

/** Splits text into deltas of `units` UTF-16 units, and splits surrogate pairs. */
function createSplitter(units: number) {
  let rest = '';
  return {
    *split(texts: Iterable<string>): Generator<string, void, undefined> {
      for (const text of texts) {
        rest += text;
        if (rest.length < units) continue;
        let start = 0;
        for (; start + units <= rest.length; start += units) yield rest.slice(start, start + units);
        rest = rest.slice(start);
      }
    },
    end: (): readonly string[] => (rest === '' ? [] : [rest]),
  };
}

async function* splitGroups(
  groups: DeltaGroups,
  { split }: Fault,
): AsyncGenerator<Iterable<string>, void, undefined> {
  if (split === undefined || !('units' in split)) {
    yield* groups;
    return;
  }
  const splitter = createSplitter(split.units);
  for await (const group of groups) yield splitter.split(group);
  yield splitter.end();
}

const roles = { first: 'assistant', every: 'assistant', null: null, empty: '' } as const;

const emptyDeltas: readonly object[] = [
  {},
  { delta: null },
  { delta: {} },
  { delta: { content: null } },
  { delta: { content: '' } },
  { delta: { content: [{ type: 'text' }] } },
  { delta: { role: null } },
  { delta: { tool_calls: [{ index: 0, function: { name: 'none', arguments: '{' } }] } },
  { delta: { __unknown: true }, logprobs: null, constructor: 1 },
];

type NextRole = () => Role;

interface Role {
  readonly role?: string | null;
}

/** By default the first delta has the role, which strict clients require. */
function createNextRole({ role }: Fault): NextRole {
  if (role === undefined) {
    let isFirst = true;
    return () => {
      const next = isFirst ? { role: 'assistant' } : {};
      isFirst = false;
      return next;
    };
  }
  const repeated = role === 'first' || role === 'none' ? {} : { role: roles[role] };
  return () => repeated;
}

/** The choices of chunks before the text; none of them adds to it. */
function* openingChoices(
  fault: Fault,
  nextRole: NextRole,
): Generator<readonly object[], void, undefined> {
  if (fault['empty-choices'] === true) yield [];
  if (fault.role !== undefined && fault.role !== 'none') {
    yield [{ index: 0, delta: { role: roles[fault.role] } }];
  }
  if (fault['odd-chunks'] === true) {
    for (const odd of emptyDeltas) yield [{ index: 0, ...odd }];
    yield [{ index: 1, delta: { content: 'second choice' } }];
  }
  if (fault.reasoning !== undefined) {
    for (const thought of ['The sandbox ', 'does not ', 'think.']) {
      yield [{ index: 0, delta: { ...nextRole(), [fault.reasoning]: thought } }];
    }
  }
}

type WriteChunk = (choices: readonly object[], withUsage?: boolean) => string;

function createWriteChunk(completion: Completion, fault: Fault): WriteChunk {
  return (choices, withUsage = fault.usage === 'every') =>
    JSON.stringify({
      id: completion.id,
      object: 'chat.completion.chunk',
      choices,
      usage: withUsage ? completion.ending().usage : undefined,
    });
}

/** Writes the chunks of text. The JSON around the text is made once, which halves the time of long answers. */
function createWriteText(
  fault: Fault,
  write: WriteChunk,
  nextRole: NextRole,
): (text: string) => string {
  const name = fault.refusal === true ? 'refusal' : 'content';
  const writeText = (text: string, role: Role): string =>
    write([{ index: 0, delta: { ...role, [name]: text } }]);
  if (fault.usage === 'every') return (text) => writeText(text, nextRole());
  let frame: readonly [head: string, tail: string] | undefined;
  let isFirst = true;
  return (text) => {
    if (isFirst) {
      isFirst = false;
      return writeText(text, nextRole());
    }
    frame ??= frameOf(writeText('', nextRole()));
    return frame[0] + JSON.stringify(text) + frame[1];
  };
}

/** The parts of a chunk before and after its last empty string, which is its text. */
function frameOf(chunk: string): readonly [head: string, tail: string] {
  const place = chunk.lastIndexOf('""');
  return [chunk.slice(0, place), chunk.slice(place + 2)];
}

function* closingChunks(
  completion: Completion,
  fault: Fault,
  write: WriteChunk,
  nextRole: NextRole,
): Generator<string, void, undefined> {
  const place = fault.usage ?? 'finish';
  const finish = finishReasonOf(fault, completion.ending());
  const last = { index: 0, delta: { ...(fault.role === undefined && nextRole()), content: '' } };
  if (finish !== undefined || place === 'finish') {
    const ending = finish === undefined ? last : { ...last, finish_reason: finish };
    yield write([ending], place === 'finish' || place === 'every');
  }
  if (place === 'last') yield write([], true);
  if (fault['no-done'] !== true) yield '[DONE]';
  if (fault['after-done'] === true) {
    yield write([{ index: 0, delta: { content: ' text after the end' } }]);
  }
}

function* map<Item>(
  items: Iterable<Item>,
  write: (item: Item) => string,
): Generator<string, void, undefined> {
  for (const item of items) yield write(item);
}

/**
 * The payloads of an answer's events, in the groups of the deltas and lazily. By default the last chunk has an empty
 * content, the finish_reason and the usage; the contract does not define it.
 */
export async function* chunkPayloads(
  completion: Completion,
  fault: Fault,
): AsyncGenerator<Iterable<string>, void, undefined> {
  const write = createWriteChunk(completion, fault);
  const nextRole = createNextRole(fault);
  const writeText = createWriteText(fault, write, nextRole);
  yield map(openingChoices(fault, nextRole), (choices) => write(choices));
  for await (const deltas of splitGroups(completion.deltas, fault)) yield map(deltas, writeText);
  yield closingChunks(completion, fault, write, nextRole);
}
