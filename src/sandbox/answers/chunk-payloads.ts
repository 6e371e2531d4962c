import type { Fault } from '../faults/fault-fields.ts';
import {
  type Completion,
  completionTokens,
  createTally,
  finishReasonOf,
  type Tally,
  usageOf,
} from './completion.ts';

/** Cuts text into deltas of `units` UTF-16 units, through surrogate pairs too. */
function* cutUnits(texts: Iterable<string>, units: number): Generator<string, void, undefined> {
  let held = '';
  for (const text of texts) {
    held += text;
    if (held.length < units) continue;
    let start = 0;
    for (; start + units <= held.length; start += units) yield held.slice(start, start + units);
    held = held.slice(start);
  }
  if (held !== '') yield held;
}

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

/** Lists of choices that precede the text; none of them adds to it. */
function* openingChoices(fault: Fault): Generator<readonly object[], void, undefined> {
  if (fault['empty-choices'] === true) yield [];
  if (fault.role !== undefined) yield [{ index: 0, delta: roleOf(fault.role) }];
  if (fault['odd-chunks'] === true) {
    for (const odd of emptyDeltas) yield [{ index: 0, ...odd }];
    yield [{ index: 1, delta: { content: 'another choice' } }];
  }
  if (fault.reasoning !== undefined) {
    for (const thought of ['The sandbox ', 'does not ', 'think.']) {
      yield [{ index: 0, delta: { [fault.reasoning]: thought } }];
    }
  }
}

function roleOf(role: Fault['role']): { readonly role?: string | null } {
  const roles = { first: 'assistant', every: 'assistant', null: null, empty: '' };
  return role === undefined ? {} : { role: roles[role] };
}

type WriteChunk = (choices: readonly object[], withUsage?: boolean) => string;

function createWriteChunk(completion: Completion, fault: Fault, tally: Tally): WriteChunk {
  return (choices, withUsage = fault.usage === 'every') =>
    JSON.stringify({
      id: completion.id,
      object: 'chat.completion.chunk',
      choices,
      usage: withUsage ? usageOf(completion, tally) : undefined,
    });
}

/** Writes chunks that differ only in their text: the rest is made once, which halves the time of long answers. */
function createWriteText(fault: Fault, write: WriteChunk): (text: string) => string {
  const name = fault.refusal === true ? 'refusal' : 'content';
  const role = fault.role === 'first' ? {} : roleOf(fault.role);
  const writeText = (text: string): string =>
    write([{ index: 0, delta: { ...role, [name]: text } }]);
  if (fault.usage === 'every') return writeText;
  const frame = writeText('');
  const place = frame.lastIndexOf('""');
  const head = frame.slice(0, place);
  const tail = frame.slice(place + 2);
  return (text) => head + JSON.stringify(text) + tail;
}

function* closingChunks(
  fault: Fault,
  tally: Tally,
  write: WriteChunk,
): Generator<string, void, undefined> {
  const place = fault.usage ?? 'finish';
  const finish = finishReasonOf(fault, tally);
  const last = { index: 0, delta: { content: '' } };
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

/**
 * The payloads of an answer's events in order, `[DONE]` included, made as they are taken. Unless asked otherwise
 * the last chunk has an empty content, the finish_reason and the usage; the contract leaves that open.
 */
export function* chunkPayloads(
  completion: Completion,
  fault: Fault,
): Generator<string, void, undefined> {
  const tally = createTally();
  const write = createWriteChunk(completion, fault, tally);
  const writeText = createWriteText(fault, write);
  const tokens = completionTokens(completion, tally);
  const { split } = fault;
  const deltas = split !== undefined && 'units' in split ? cutUnits(tokens, split.units) : tokens;
  for (const choices of openingChoices(fault)) yield write(choices);
  for (const text of deltas) yield writeText(text);
  yield* closingChunks(fault, tally, write);
}
