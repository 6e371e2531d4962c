import { parseAnyJson } from '../../json.ts';
import { type Completion, finishReasonOf, reportedUsage } from '../completion.ts';
import { type Exchange, pause, pauseUntil } from '../exchange.ts';
import type { Fault } from '../faults/fault-fields.ts';
import { type MalformedEvent, malformedEvents } from '../shapes.ts';
import { afterAnswer, cut, cutPosition, errorText, stall, sendHead } from './response-writer.ts';

/** Mixed ends have one kind for each event: within an event, a CR before an LF would be one line end, not two. */
const lineEnds = { lf: ['\n'], crlf: ['\r\n'], cr: ['\r'], mixed: ['\n', '\r\n', '\r'] } as const;

function lineEndOf({ 'line-ending': kind = 'lf' }: Fault, event: number): string {
  const ends = lineEnds[kind];
  return ends[event % ends.length] ?? '\n';
}

/** Writes `data: <json>` and a blank line (contract, Events), changed by the fault. Events are numbered from 1. */
function formatEvent(fault: Fault, number: number, data: string, name?: string): string {
  const prefix = `data:${' '.repeat(fault['data-spaces'] ?? 1)}`;
  const end = lineEndOf(fault, number);
  const value = fault['data-lines'] === true ? parseAnyJson(data) : undefined;
  const lines = value === undefined ? [data] : JSON.stringify(value, null, 1).split('\n');
  const extras = [`id: ${number}`, 'retry: 10', 'event', 'x-unknown: 1', 'no colon'];
  const event = [
    ...(fault['extra-fields'] === true ? extras : []),
    ...(name === undefined ? [] : [`event: ${name}`]),
    ...lines.map((line) => prefix + line),
  ];
  return `${`: comment${end}`.repeat(fault.comments ?? 0)}${event.join(end)}${end}${end}`;
}

/** The fault `split` makes deltas of a number of UTF-16 units, which may split surrogate pairs. */
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

/**
 * The payloads of an answer's events, lazily. By default the last chunk has an empty content, the finish_reason and the
 * usage; the contract does not define it.
 */
async function* chunkPayloads(
  completion: Completion,
  fault: Fault,
): AsyncGenerator<string, void, undefined> {
  const { role, usage: place = 'finish' } = fault;
  const write = (choices: readonly object[], withUsage = place === 'every') =>
    JSON.stringify({
      id: completion.id,
      object: 'chat.completion.chunk',
      choices,
      usage: withUsage ? reportedUsage(fault, completion) : undefined,
    });
  const writeDelta = (delta: object) => write([{ index: 0, delta }]);

  let isFirst = true;
  /** By default the first delta has the role, which strict clients require. */
  function nextRole(): object {
    const next = role ?? (isFirst ? 'every' : 'none');
    isFirst = false;
    return next === 'first' || next === 'none' ? {} : { role: roles[next] };
  }

  // None of the chunks before the text adds to it.
  if (fault['empty-choices'] === true) yield write([]);
  if (role !== undefined && role !== 'none') yield writeDelta({ role: roles[role] });
  if (fault['odd-chunks'] === true) {
    for (const odd of emptyDeltas) yield write([{ index: 0, ...odd }]);
    yield write([{ index: 1, delta: { content: 'second choice' } }]);
  }
  if (fault.reasoning !== undefined) {
    for (const thought of ['The sandbox ', 'does not ', 'think.']) {
      yield writeDelta({ ...nextRole(), [fault.reasoning]: thought });
    }
  }
  const name = fault.refusal === true ? 'refusal' : 'content';
  for await (const text of splitDeltas(completion.deltas, fault)) {
    yield writeDelta({ ...nextRole(), [name]: text });
  }

  const finish = finishReasonOf(fault, completion);
  const last = { index: 0, delta: { ...(role === undefined && nextRole()), content: '' } };
  if (finish !== undefined || place === 'finish') {
    yield write([{ ...last, finish_reason: finish }], place === 'finish' || place === 'every');
  }
  if (place === 'last') yield write([], true);
  if (fault['no-done'] !== true) yield '[DONE]';
  if (fault['after-done'] === true) yield writeDelta({ content: ' text after the end' });
}

/** The headers are sent at once, the first event when it is due. */
export async function answerWithEvents(exchange: Exchange, completion: Completion): Promise<void> {
  const { clock, fault, record } = exchange;
  const headers = { 'cache-control': 'no-cache' };
  const body = await sendHead(exchange, 200, 'text/event-stream', headers);
  await pauseUntil(exchange, completion.due);
  const { rate = Infinity, drip } = fault;
  const interval = drip !== undefined && drip.bytes === undefined ? drip.interval : 0;
  const start = clock.monotonic();
  /** The line end of the last event, if the fault omits it. */
  let lineEnd = '';
  const send = (data: string, name?: string, encoding: BufferEncoding = 'utf8') => {
    record.events += 1;
    const event = formatEvent(fault, record.events, data, name);
    const text = fault.unterminated === true ? event.replace(/[\r\n]+$/, '') : event;
    const written = Buffer.from(lineEnd + text, encoding);
    lineEnd = event.slice(text.length);
    return body.write(written);
  };
  if (fault.bom !== undefined) await body.write('\uFEFF'.repeat(fault.bom));
  for await (const data of chunkPayloads(completion, fault)) {
    // The first event is due immediately.
    const due = start + (record.events * 1000) / rate;
    const wait = Math.max(0, due - clock.monotonic()) + (record.events === 0 ? 0 : interval);
    if (wait > 0) await pause(exchange, wait);
    if (fault['stall-after'] === record.events) {
      const end = lineEndOf(fault, 0);
      await stall(exchange, () => body.write(`: keep-alive${end}${end}`));
    }
    if (cutPosition(fault) === record.events) {
      await cut(exchange);
      return;
    }
    const number = record.events + 1;
    if (fault['error-at'] === number) {
      const { text } = errorText(exchange, 500, 'simulated failure in the middle of an answer');
      await send(text, fault['error-as'] === 'event' ? 'error' : undefined);
      break;
    }
    const kind = fault['malformed-as'] ?? 'truncated';
    const [, corrupt]: MalformedEvent = malformedEvents[kind];
    if (fault['malformed-at'] !== number) await send(data);
    else if (corrupt !== undefined) {
      await send(corrupt(data), undefined, kind === 'utf8' ? 'latin1' : 'utf8');
    } else {
      await body.write('data: ');
      for (;;) await body.write('x'.repeat(16_384));
    }
  }
  afterAnswer(exchange, () => body.end());
}
