import type { Fault } from '../faults/fault-fields.ts';
import { type Completion, finishReasonOf } from './completion.ts';

/** With the fault, deltas of a number of UTF-16 units; these may split surrogate pairs. */
async function* splitDeltas(
  deltas: Completion['deltas'],
  { split }: Fault,
): AsyncGenerator<string, void, undefined> {
  if (split === undefined || !('units' in split)) {
    yield* deltas;
    return;
  }
  let rest = '';
  for await (const delta of deltas) {
    rest += delta;
    let start = 0;
    for (; start + split.units <= rest.length; start += split.units) {
      yield rest.slice(start, start + split.units);
    }
    rest = rest.slice(start);
  }
  if (rest !== '') yield rest;
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

/** The choices of chunks before the text; none of them adds to it. */
function* openingChoices(
  fault: Fault,
  nextRole: () => object,
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

/**
 * The payloads of an answer's events, lazily. By default the last chunk has an empty content, the finish_reason and the
 * usage; the contract does not define it.
 */
export async function* chunkPayloads(
  completion: Completion,
  fault: Fault,
): AsyncGenerator<string, void, undefined> {
  const place = fault.usage ?? 'finish';
  const write = (choices: readonly object[], withUsage = place === 'every') =>
    JSON.stringify({
      id: completion.id,
      object: 'chat.completion.chunk',
      choices,
      usage: withUsage ? completion.ending().usage : undefined,
    });

  let isFirst = true;
  /** By default the first delta has the role, which strict clients require. */
  function nextRole(): object {
    const role = fault.role ?? (isFirst ? 'every' : 'none');
    isFirst = false;
    return role === 'first' || role === 'none' ? {} : { role: roles[role] };
  }

  for (const choices of openingChoices(fault, nextRole)) yield write(choices);
  const name = fault.refusal === true ? 'refusal' : 'content';
  for await (const text of splitDeltas(completion.deltas, fault)) {
    yield write([{ index: 0, delta: { ...nextRole(), [name]: text } }]);
  }

  const finish = finishReasonOf(fault, completion.ending());
  const last = { index: 0, delta: { ...(fault.role === undefined && nextRole()), content: '' } };
  if (finish !== undefined || place === 'finish') {
    yield write([{ ...last, finish_reason: finish }], place === 'finish' || place === 'every');
  }
  if (place === 'last') yield write([], true);
  if (fault['no-done'] !== true) yield '[DONE]';
  if (fault['after-done'] === true) {
    yield write([{ index: 0, delta: { content: ' text after the end' } }]);
  }
}
